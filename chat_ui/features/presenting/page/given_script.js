// The operator's script, unless a person has chosen another, or none.

import { useEffect, useState } from "react";
import { presentation, takeScript } from "./presentation.js";

const isWanted = () => !presentation().isChosen && presentation().steps.length === 0;

/** Take the script that the address `scripts` has, if any; whether it may still come. */
export function useGivenScript(scripts) {
  const [isComing, setComing] = useState(isWanted);
  useEffect(() => {
    if (!isWanted()) return undefined;
    const gone = new AbortController();
    fetch(scripts, { credentials: "same-origin", signal: gone.signal })
      .then((response) => (response.status === 200 ? response.json() : null))
      .then((given) => given && isWanted() && takeScript(given.steps, null, false))
      .catch((error) => gone.signal.aborted || console.warn(error))
      .finally(() => gone.signal.aborted || setComing(false));
    return () => gone.abort();
  }, [scripts]);
  return isComing;
}
