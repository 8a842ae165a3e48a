// The time since the backend's last event, as the server measures it. The page cannot: events may lack text, and the
// connection to the server may be the cause.

import { useEffect, useRef, useState } from "react";
import { t } from "../languages/language.js";
import { announce } from "../announcing/announcer.jsx";

// Seconds of silence until a notice, and until announcements.
const LONG = 5;
const ALOUD = [10, 30, 60];
const MINUTE = 60;

// The next announced silence.
const afterwards = (told) => ALOUD.find((seconds) => seconds > told) ?? told + MINUTE;

export function Silence({ address }) {
  const [seconds, setSeconds] = useState(0);
  const aloud = useRef(ALOUD[0]);

  useEffect(() => {
    let isOver = false;
    let waiting = 0;
    const look = async () => {
      const silent = await fetch(`${address}/silence`, { credentials: "same-origin" })
        .then((response) => (response.ok ? response.json() : { seconds: 0 }))
        // Without the server, the backend's state is unknown.
        .catch(() => ({ seconds: 0 }));
      if (isOver) return;
      const passed = Math.floor(silent.seconds ?? 0);
      setSeconds(passed);
      if (passed < LONG) aloud.current = ALOUD[0];
      else if (passed >= aloud.current) {
        announce(t("No data for {seconds} seconds.", { seconds: passed }));
        aloud.current = afterwards(passed);
      }
      waiting = setTimeout(look, 1000 * Math.max(1, LONG - passed));
    };
    waiting = setTimeout(look, 1000);
    return () => {
      isOver = true;
      clearTimeout(waiting);
    };
  }, [address]);

  if (seconds < LONG) return null;
  return <span className="silence">{t("No data for {seconds} s. Stop keeps the text so far.", { seconds })}</span>;
}
