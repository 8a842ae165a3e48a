// What the person has said of an answer so far.

import { useEffect, useRef, useState } from "react";
import { t } from "../languages/language.js";
import { fetched, untilLoaded, wordsFor } from "../shared/loading.js";
import { afterPress } from "../shared/pressed.js";
import { change, countOf, follow } from "./requests.js";

const LOADED_WITHIN = 5000;

/**
 * The feedback on an answer: null until it is there, and fetched again with another `rating`, or when the page is seen
 * again. `send` changes a part of it, with the words of the `outcome` or of the `problem`, and calls `onKept` before that
 * is shown; `onLate` gets a problem that comes once this is gone. Once nothing is under way, `feedback` is what is kept, also where a change failed.
 */
export function useFeedback(answer, onLate, rating = undefined) {
  const [feedback, setFeedback] = useState(null);
  const [outcome, setOutcome] = useState("");
  const [problem, setProblem] = useState("");
  const [missing, setMissing] = useState("");
  const [turn, setTurn] = useState(0);
  const newest = useRef(null);
  const underWay = useRef(0);
  const isHere = useRef(true);
  const reload = () => setTurn((before) => before + 1);
  const show = () => {
    if (newest.current && underWay.current === 0) setFeedback({ ...newest.current });
  };
  const take = (found) => {
    newest.current = found;
    setMissing("");
    show();
  };
  useEffect(() => {
    isHere.current = true;
    const seen = () => document.visibilityState === "visible" && reload();
    document.addEventListener("visibilitychange", seen);
    const unfollow = follow(answer, take);
    return () => {
      isHere.current = false;
      document.removeEventListener("visibilitychange", seen);
      unfollow();
    };
  }, [answer]);
  useEffect(() => {
    const load = async (signal) => {
      const before = countOf(answer);
      const found = await (await fetched(`${answer}/feedback`, AbortSignal.timeout(LOADED_WITHIN))).json();
      signal.throwIfAborted();
      if (before === countOf(answer)) take(found);
      // What a change leaves of it is newer, if that does not fail.
      else if (!newest.current) throw new Error("changed meanwhile");
    };
    return untilLoaded(load, (failures, isLast) => setMissing(wordsFor(failures, isLast)));
  }, [answer, rating, turn]);
  const send = async (method, part, onKept = () => {}) => {
    underWay.current += 1;
    setOutcome("");
    setProblem("");
    try {
      await change(answer, method, part);
      onKept();
      setOutcome(t("Saved."));
    } catch ({ message }) {
      if (isHere.current) afterPress(() => setProblem(message));
      else onLate(message);
    }
    underWay.current -= 1;
    show();
  };
  return { feedback, send, reload, outcome, setOutcome, problem: problem || missing, setProblem };
}
