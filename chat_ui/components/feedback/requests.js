// Requests about what a person thinks of an answer. Changes of one answer go one after the other, and everything on the page
// that shows the answer learns of each.

import { t } from "../languages/language.js";
import { request, wordsOf } from "../conversations/requests.js";
import { stays } from "../shared/loading.js";

// Milliseconds after which a change has failed, and the next has its turn.
const WITHIN = 15_000;
const turns = new Map();
const counts = new Map();
const followers = new Map();

/** What could not be kept: its message is for the person, and `isFinal` says that it would be refused again. */
export class NotKept extends Error {
  constructor(why) {
    super(wordsOf(why) ?? t("What you think of it cannot be kept at the moment. Try again in a little while."));
    this.isFinal = wordsOf(why) !== undefined || stays(why);
  }
}

/** The result of `ask` once every earlier change of the answer has its own. */
export function inTurn(answer, ask) {
  const asked = (turns.get(answer) ?? Promise.resolve()).then(ask);
  turns.set(
    answer,
    asked.catch(() => {}),
  );
  return asked;
}

/** Have `follower` called with what the person thinks of the answer after each change; the result ends that. */
export function follow(answer, follower) {
  const others = followers.get(answer) ?? new Set();
  followers.set(answer, others.add(follower));
  return () => others.delete(follower);
}

/** How many changes of the answer have been sent. */
export const countOf = (answer) => counts.get(answer) ?? 0;

/** What the person thinks of the answer after a change of a part of it, which is sent at once; rejects with NotKept. */
export async function send(answer, method, part, body) {
  counts.set(answer, countOf(answer) + 1);
  try {
    // A page that is left meanwhile takes none of it back.
    const options = { keepalive: true, signal: AbortSignal.timeout(WITHIN) };
    const found = await (await request(`${answer}/feedback${part}`, method, body, options)).json();
    for (const follower of followers.get(answer) ?? []) follower(found);
    return found;
  } catch (why) {
    throw new NotKept(why);
  }
}

/** The same in its turn. */
export const change = (answer, method, part, body) => inTurn(answer, () => send(answer, method, part, body));
