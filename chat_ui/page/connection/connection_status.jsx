// A notice while the connection to the server is lost, or the page is of another version than the server.

import { useEffect, useRef, useState } from "react";
import { t } from "../languages/language.js";
import { Button } from "../shared/button.jsx";
import { hear } from "../shared/hearing.js";
import { untilLoaded } from "../shared/loading.js";
import { announce } from "../announcing/announcer.jsx";
import { useConnection, useFailed } from "./connection.js";
import { asked, FOREIGN, loadAnew, ownBuild, servedBuild } from "./served_page.js";

// Milliseconds for a reconnection before a notice.
const AT_ONCE = 700;
const RETRY_AFTER = 500;
// The same for a new page.
const FIRST_TIME = 5000;
// Milliseconds over which reloads spread after a server's restart.
const SPREAD = 10_000;
const NOBODY = 403;

const LOST = "lost";
const NO_COOKIE = "no cookie";
const SIGNED_OUT = "signed out";
const OUTDATED = "outdated";

const inWords = (state) =>
  ({
    [NO_COOKIE]: t(
      "The server does not recognise this browser: the cookie of this page is missing. Allow cookies for it, then reload the page.",
    ),
    [SIGNED_OUT]: t(
      "Another page answers in place of this one. You may have to sign in: reload the page. Waiting and unsent questions are kept.",
    ),
    [OUTDATED]: t("A new version of this page is available. Reload to get it; waiting and unsent questions are kept."),
    [LOST]: t(
      "Offline: the server cannot be reached. Questions you send wait in the conversation until the connection is back.",
    ),
  })[state];

// A browser without a cookie is unknown to the server and is refused.
const isNobody = (needsPerson) =>
  asked(needsPerson, { method: "HEAD" }).then(
    ({ status }) => status === NOBODY,
    () => false,
  );

const isOther = (build) => build !== "" && build !== FOREIGN && build !== ownBuild;

// Fetching the page replaces a refused cookie; Reflex then reconnects.
async function whyLost(needsPerson) {
  const build = await servedBuild();
  if (build === FOREIGN && ownBuild) return SIGNED_OUT;
  if (!navigator.cookieEnabled || (build && (await isNobody(needsPerson)))) return NO_COOKIE;
  return !ownBuild || !isOther(build) || loadAnew(build) ? LOST : OUTDATED;
}

// Call `begin` after `pause` milliseconds. Returns a function that cancels this, and the result of `begin`.
function after(pause, begin) {
  let end;
  const waiting = setTimeout(() => {
    end = begin();
  }, pause);
  return () => {
    clearTimeout(waiting);
    end?.();
  };
}

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

// Whether the page is of another build than the server, after a new connection or from the browser's cache. The page is
// reloaded if that loses nothing, or once it is hidden.
function useOutdated(lost, ready) {
  const [build, setBuild] = useState("");
  const mayDiffer = useRef(false);

  useEffect(() => {
    const [loading] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType("navigation"));
    mayDiffer.current = loading?.transferSize === 0;
  }, []);
  useEffect(() => {
    if (lost) mayDiffer.current = true;
    if (lost || !ownBuild || !mayDiffer.current) {
      mayDiffer.current ||= ready;
      return undefined;
    }
    return after(Math.random() * SPREAD, () =>
      untilLoaded(async (signal) => {
        const served = await servedBuild();
        if (!served) throw new Error("The server does not answer.");
        if (!signal.aborted) setBuild(isOther(served) && !loadAnew(served) ? served : "");
      }),
    );
  }, [lost, ready]);
  useEffect(() => {
    if (!build) return undefined;
    // The server may be unavailable by then.
    const leave = async () => {
      const isHidden = () => document.visibilityState === "hidden";
      const served = isHidden() ? await servedBuild() : "";
      if (isHidden() && isOther(served)) loadAnew(served);
    };
    return hear(document, { visibilitychange: leave });
  }, [build]);
  return build !== "";
}

/**
 * The server refuses the address `needsPerson` only to a browser without a cookie. `ready` is true once the initial
 * state has arrived.
 */
export function ConnectionStatus({ needsPerson, ready }) {
  const lost = useLost();
  const outdated = useOutdated(lost, ready);
  const [state, setState] = useState("");
  const announced = useRef(false);

  useEffect(() => {
    if (!lost) return undefined;
    const end = after(AT_ONCE, () =>
      untilLoaded(async (signal) => {
        const why = await whyLost(needsPerson);
        if (!signal.aborted) {
          announced.current = true;
          setState(why);
        }
        throw new Error(why);
      }),
    );
    return () => {
      end();
      setState("");
      if (announced.current) announce(t("The connection is back."));
      announced.current = false;
    };
  }, [lost]);

  const shown = state || (outdated ? OUTDATED : "");
  if (!shown) return null;
  return (
    <div className="callout connection-status">
      <p>{inWords(shown)}</p>
      {shown !== LOST && <Button onClick={() => window.location.reload()}>{t("Reload")}</Button>}
    </div>
  );
}
