// The awaited answer of a step: found in the conversation, timed, and stored once complete.

import { pending, turnOf as asTurn } from "../../../page/asking/pending_questions.js";
import { t } from "../../../page/languages/language.js";
import { LOOK_EVERY, answerOf, box, emptyBox, page, textOf, turnOf } from "./known_page.js";
import { change, presentation, withStep } from "./presentation.js";

let looking = 0;

const note = (step, outcome) => change({ outcomes: withStep(presentation().outcomes, step, outcome), asked: null });

// The turn of a step's question, if it exists yet.
function found({ step, after, into }) {
  const { steps, turns } = presentation();
  const conversations = [page.turns[0]?.conversation, page.insteadOf];
  const turn = asTurn({ question: steps[step].question, after, into }, conversations, page.turns);
  if (!turn) return undefined;
  change({ turns: withStep(turns, step, turn.id), conversation: turn.conversation });
  return turn;
}

// The page restores a refused or lost question in the box, where it would disturb a presentation.
function noteReturned(step, returnedAs, total) {
  const { question } = presentation().steps[step];
  if (box()?.value === question) emptyBox();
  const isRefused = page.returnedAs !== returnedAs && page.refusal;
  note(step, { first: null, total, error: isRefused || t("This question did not arrive. Send it again.") });
}

function look(onComplete) {
  const { asked, steps, turns, outcomes } = presentation();
  if (!asked) {
    stopLooking();
    return;
  }
  const { step, at, returnedAs } = asked;
  const seconds = at === null ? null : (Date.now() - at) / 1000;
  const underWay = pending().find(({ question }) => question === steps[step].question);
  if (underWay?.into && underWay.into !== asked.into) change({ asked: { ...asked, into: underWay.into } });
  const turn = turns[step] ? turnOf(step) : found(presentation().asked);
  if (!turn) {
    if (!page.isReady || underWay) return;
    // A question of a conversation that was left is answered there.
    if (turns[step]) change({ asked: null });
    else noteReturned(step, returnedAs, seconds);
    return;
  }
  const answer = answerOf(turn);
  const text = textOf(answer);
  const first = outcomes[step]?.first ?? (text?.textContent.trim() ? seconds : null);
  if (answer.live || !text?.dataset.status) {
    if (first !== null && !outcomes[step])
      change({ outcomes: withStep(outcomes, step, { first, total: null, error: "" }) });
    return;
  }
  note(step, { first, total: seconds, error: answer.error || answer.notice });
  onComplete(step);
}

/** Wait for the answer of `step`, which was just asked after the turn `after`. */
export function awaitAnswer(step, after) {
  const asked = { step, at: Date.now(), after, into: "", returnedAs: page.returnedAs };
  change({ outcomes: withStep(presentation().outcomes, step, null), asked });
}

/** Follow the awaited answer until it is complete; `onComplete` then gets its step. */
export function lookForAnswer(onComplete) {
  if (!presentation().asked) return;
  looking ||= setInterval(() => look(onComplete), LOOK_EVERY);
  look(onComplete);
}

function stopLooking() {
  clearInterval(looking);
  looking = 0;
}

/** Stop following; the end of the answer will not be timed. */
export function leaveAnswer() {
  stopLooking();
  const { asked } = presentation();
  if (asked) change({ asked: { ...asked, at: null } });
}
