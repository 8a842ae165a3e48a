// A person's feedback on an answer, on the server. Requests about an answer are sequential.

import { useRef, useState } from "react";
import { t } from "../../../page/languages/language.js";
import { fetched, request, wordsOf } from "../../../page/shared/loading.js";

// Timeout in milliseconds, after which the next request starts.
const WITHIN = 15_000;
const turns = new Map();

function inTurn(answer, ask) {
  const asked = (turns.get(answer) ?? Promise.resolve()).then(() => ask(AbortSignal.timeout(WITHIN)));
  turns.set(
    answer,
    asked.catch(() => {}),
  );
  return asked;
}

/** The person's feedback on the answer; rejects like `fetched`. */
export const read = (answer) => inTurn(answer, async (signal) => (await fetched(`${answer}/feedback`, signal)).json());

/** Change a part of the feedback, and return all of it; rejects with a text for the person. */
export const change = (answer, part) =>
  inTurn(answer, async (signal) => {
    try {
      return await (await request(`${answer}/feedback`, "PATCH", part, { signal })).json();
    } catch (why) {
      throw wordsOf(why) ?? t("Your feedback cannot be saved at the moment. Try again in a moment.");
    }
  });

/**
 * The displayed value of `known`, and a function that displays another value until `sent` has settled. The outcome of
 * an earlier press does not override a later one.
 */
export function useWanted(known) {
  const [wanted, setWanted] = useState(undefined);
  const underWay = useRef(0);
  const want = async (next, sent) => {
    setWanted(next);
    underWay.current += 1;
    await sent;
    underWay.current -= 1;
    if (underWay.current === 0) setWanted(undefined);
  };
  return [wanted ?? known, want];
}
