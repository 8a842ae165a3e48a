// What the person has said of an answer so far.

import { useEffect, useState } from "react";
import { fetched, untilLoaded, wordsFor } from "../shared/loading.js";

/** The feedback on the answer at `address`, null until it is there, and the words of a problem. */
export function useFeedback(address) {
  const [feedback, setFeedback] = useState(null);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    const load = async (signal) => {
      const found = await (await fetched(`${address}/feedback`, signal)).json();
      signal.throwIfAborted();
      setProblem("");
      setFeedback(found);
    };
    return untilLoaded(load, (failures, isLast) => setProblem(wordsFor(failures, isLast)));
  }, [address]);
  return { feedback, setFeedback, problem, setProblem };
}
