// The operator's script, unless a person has chosen another, or none.

import { useEffect } from "react";
import { showing, takeScript } from "./showing.js";

/** Take the script that the address `scripts` has, if any. */
export function useGivenScript(scripts) {
  useEffect(() => {
    const { isChosen, steps } = showing();
    if (isChosen || steps.length > 0) return undefined;
    const gone = new AbortController();
    fetch(scripts, { credentials: "same-origin", signal: gone.signal })
      .then((response) => (response.status === 200 ? response.json() : null))
      .then((given) => given && takeScript(given.steps, null, false))
      .catch((error) => gone.signal.aborted || console.warn(error));
    return () => gone.abort();
  }, [scripts]);
}
