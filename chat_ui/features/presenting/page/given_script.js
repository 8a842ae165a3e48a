// The operator's script, unless the person has chosen another one or removed it.

import { useEffect, useState } from "react";
import { presentation, takeScript } from "./presentation.js";

const isWanted = () => !presentation().isChosen && presentation().steps.length === 0;

/** Load the script at the address `scripts`, if any; returns whether it is still loading. */
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
