// A notice for as long as the connection to the server is lost.

import { useEffect, useRef, useState } from "react";
import { t } from "../languages/language.js";
import { announce } from "../speech/announcer.jsx";
import { useConnection, useFailed } from "./connection.js";

// Milliseconds in which a connection may come back before a notice says that it is lost.
const AT_ONCE = 700;
const RETRY_AFTER = 500;
// The same for a new page.
const FIRST_TIME = 5000;
const TIMEOUT = 2000;
const NOBODY = 403;

const LOST = "lost";
const NO_COOKIE = "no cookie";

const inWords = (state) =>
  state === NO_COOKIE
    ? t(
        "The server does not know this browser, which has no cookie of this page. Allow cookies for it, then load it again.",
      )
    : t(
        "Offline: there is no connection to the server. What you send stays in the conversation, and goes out once it is back.",
      );

// A browser without a cookie is nobody to the server and gets no answer.
const isNobody = (needsPerson) =>
  fetch(needsPerson, { method: "HEAD", credentials: "same-origin", signal: AbortSignal.timeout(TIMEOUT) }).then(
    ({ status }) => status === NOBODY,
    () => false,
  );

// An attempt to connect can take long to fail.
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
    }, RETRY_AFTER);
    return () => clearInterval(looking);
  }, []);
  return failed || gone;
}

/** `needsPerson` is an address that the server refuses only to a browser without a cookie. */
export function ConnectionStatus({ needsPerson }) {
  const lost = useLost();
  const [state, setState] = useState("");
  const announced = useRef(false);

  useEffect(() => {
    if (!lost) return undefined;
    let over = false;
    const waiting = setTimeout(async () => {
      const nobody = !navigator.cookieEnabled || (await isNobody(needsPerson));
      if (over) return;
      announced.current = true;
      setState(nobody ? NO_COOKIE : LOST);
    }, AT_ONCE);
    return () => {
      over = true;
      clearTimeout(waiting);
      setState("");
      if (announced.current) announce(t("The connection is back."));
      announced.current = false;
    };
  }, [lost]);

  if (!state) return null;
  const again = (
    <button type="button" className="button" onClick={() => window.location.reload()}>
      {t("Load it again")}
    </button>
  );
  return (
    <div className="callout connection-status">
      <p>{inWords(state)}</p>
      {state === NO_COOKIE && again}
    </div>
  );
}
