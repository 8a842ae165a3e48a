// Comments that are typed: their words stay in the tab until the server has them, whatever fails or closes meanwhile. A
// comment is known by its answer, and by the part of the feedback that it belongs to.

import { t } from "../languages/language.js";
import { untilLoaded } from "../shared/loading.js";
import { announce } from "../speech/announcer.jsx";
import { draftAt, draftNames, dropDraft, setDraft } from "./drafts.js";
import { inTurn, send } from "./requests.js";

// Words of the same comment that newer ones may replace, beside those that were there at first.
const MOST_REPLACED = 3;
const underWay = new Map();
const attempts = new Map();
const listeners = new Map();

const nameOf = ({ answer, part }) => `${answer}/feedback${part}`;
const commentIn = (feedback, part) =>
  (part ? feedback.doubted.find(({ use }) => part.endsWith(`/${use}`)) : feedback)?.comment ?? "";

/** The words that are typed and not kept; undefined where there are none. */
export const draftOf = (comment) => draftAt(nameOf(comment))?.words;

/** Hold words that are typed in place of the comment that was `shown`. */
export function hold(comment, words, shown) {
  const [first, ...others] = new Set([...(draftAt(nameOf(comment))?.over ?? []), shown]);
  setDraft(nameOf(comment), { comment, words, over: [first, ...others.slice(-MOST_REPLACED)] });
}

export const letGo = (comment) => dropDraft(nameOf(comment));

// Send the newest words, unless they are under way.
function put(comment) {
  const name = nameOf(comment);
  const draft = draftAt(name);
  if (!draft) return Promise.resolve(null);
  const { words, over } = draft;
  if (underWay.get(name)?.words === words) return underWay.get(name).sent;
  // Where no answer comes back, these words may be what is kept.
  hold(comment, words, words);
  const sent = send(comment.answer, "PUT", `${comment.part}/comment`, { comment: words, over })
    .then((feedback) => {
      const kept = commentIn(feedback, comment.part);
      const now = draftAt(name);
      if (now?.words === words) dropDraft(name);
      else if (now) setDraft(name, { ...now, over: [kept] });
      return kept;
    })
    .finally(() => {
      if (underWay.get(name)?.sent === sent) underWay.delete(name);
    });
  underWay.set(name, { words, sent });
  return sent;
}

/** Have the words be sent at once: the page is left. */
export function leave(comment) {
  // Nobody is there any more to be told.
  put(comment).catch(() => {});
}

/**
 * Have the server keep the words that are typed, now or once it can. The result is whether it does now; what follows is told
 * to the listener.
 */
export function keep(comment) {
  const name = nameOf(comment);
  attempts.get(name)?.();
  attempts.delete(name);
  if (!draftAt(name)) return Promise.resolve(true);
  return new Promise((resolve) => {
    const attempt = async () => {
      const kept = await inTurn(comment.answer, () => put(comment));
      if (attempts.get(name) === give) {
        attempts.delete(name);
        tell(comment, { kept, problem: "", isRefused: false });
      }
      resolve(true);
    };
    const end = untilLoaded(attempt, (failures, isRefused, { message }) => {
      if (failures === 1 || isRefused) tell(comment, { kept: null, problem: message, isRefused });
      resolve(false);
    });
    // The next call goes on with it.
    const give = () => {
      end();
      resolve(false);
    };
    attempts.set(name, give);
  });
}

/** Have the server keep what was typed about the answer before the page was loaded anew. */
export function resume(answer) {
  for (const { comment } of draftNames().map(draftAt)) if (comment.answer === answer) keep(comment);
}

/** Have `listener` be told what becomes of a comment. */
export const listen = (comment, listener) => listeners.set(nameOf(comment), listener);

/** Tell the person of a comment whose box is gone; `onProblem` shows the words of a problem. */
export const announcing = (onProblem) => (news) => {
  if (news.problem) onProblem(news.problem);
  else if (news.kept !== null) announce(t("Saved."));
};

function tell(comment, news) {
  (listeners.get(nameOf(comment)) ?? announcing(announce))(news);
}
