// What a person thinks of an answer, on the server. Requests about one answer go one after the other.

import { useRef, useState } from "react";
import { request, wordsOf } from "../../../page/conversations/requests.js";
import { t } from "../../../page/languages/language.js";
import { fetched } from "../../../page/shared/loading.js";

// Milliseconds after which a request has failed, and the next has its turn.
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

/** What the person thinks of the answer; rejects as `fetched` does. */
export const read = (answer) => inTurn(answer, async (signal) => (await fetched(`${answer}/feedback`, signal)).json());

/** What the person thinks of the answer after a change of a part of it; rejects with words for the person. */
export const change = (answer, part) =>
  inTurn(answer, async (signal) => {
    try {
      return await (await request(`${answer}/feedback`, "PATCH", part, { signal })).json();
    } catch (why) {
      throw wordsOf(why) ?? t("What you think of it cannot be kept at the moment. Try again in a little while.");
    }
  });

/**
 * What to show of what is `known`, and a function that has something else be shown until `sent` has settled; what came of
 * one press does not overrule the next.
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
