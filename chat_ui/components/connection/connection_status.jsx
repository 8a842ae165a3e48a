// That the connection to the server is lost, in words, for as long as it is.

import { useEffect, useRef, useState } from "react";
import { announce } from "../speech/announcer.jsx";
import { useConnection, useFailed } from "./connection.js";

// Milliseconds in which a connection may come back before there are words about it.
const AT_ONCE = 700;
const LOOK_AGAIN = 500;
// A page that is new may take longer.
const FIRST_TIME = 5000;
const PATIENCE = 2000;
const NOBODY = 403;

const LOST =
  "Offline: there is no connection to the server. What you send stays in the conversation, and goes out once it is back.";
const NO_COOKIE =
  "The server does not know this browser, which has no cookie of this page. Allow cookies for it, then load it again.";

// Whoever has no cookie is nobody to the server, which has nothing to say to them.
const isNobody = (needsPerson) =>
  fetch(needsPerson, { method: "HEAD", credentials: "same-origin", signal: AbortSignal.timeout(PATIENCE) }).then(
    ({ status }) => status === NOBODY,
    () => false,
  );

// An attempt to connect can go on for long before it fails.
function useLost() {
  const { isConnected } = useConnection();
  const failed = useFailed();
  const [gone, setGone] = useState(false);

  useEffect(() => {
    let late = Date.now() + FIRST_TIME;
    const looking = setInterval(() => {
      const is = isConnected();
      if (is) late = 0;
      setGone(!is && Date.now() > late);
    }, LOOK_AGAIN);
    return () => clearInterval(looking);
  }, []);
  return failed || gone;
}

/** `needsPerson` is an address that the server refuses to a browser that it does not know, and to no other. */
export function ConnectionStatus({ needsPerson }) {
  const lost = useLost();
  const [words, setWords] = useState("");
  const told = useRef(false);

  useEffect(() => {
    if (!lost) return undefined;
    let over = false;
    const waiting = setTimeout(async () => {
      const nobody = !navigator.cookieEnabled || (await isNobody(needsPerson));
      if (over) return;
      told.current = true;
      setWords(nobody ? NO_COOKIE : LOST);
    }, AT_ONCE);
    return () => {
      over = true;
      clearTimeout(waiting);
      setWords("");
      if (told.current) announce("The connection is back.");
      told.current = false;
    };
  }, [lost]);

  if (!words) return null;
  const again = (
    <button type="button" className="button" onClick={() => window.location.reload()}>
      Load it again
    </button>
  );
  return (
    <div className="callout connection-status">
      <p>{words}</p>
      {words === NO_COOKIE && again}
    </div>
  );
}
