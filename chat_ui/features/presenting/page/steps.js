// The steps of a presentation: what Page Down and Page Up do. A step types its question, asks it, waits for the end of
// the answer and opens what the script names; a step that was asked before is shown again.

import { allows } from "../../../page/painted/options.js";
import { run } from "../../../page/commands/commands.js";
import { t } from "../../../page/languages/language.js";
import { Listeners } from "../../../page/shared/hearing.js";
import { announce } from "../../../page/announcing/announcer.jsx";
import { awaitAnswer, leaveAnswer, lookForAnswer } from "./awaited.js";
import { leaveScreen } from "./full_screen.js";
import { answerOf, box, emptyBox, learn, page, textOf, turnOf, until } from "./known_page.js";
import { change, end, listen, presentation } from "./presentation.js";
import { type } from "./typing.js";

/** @type {ReturnType<typeof type> | null} */
let typing = null;
// A word to the presenter, until the next key.
let remark = "";
// Each act of the presenter ends what an earlier one still waits for.
let acts = new AbortController();
const listeners = new Listeners();
const { tell } = listeners;
listen(tell);
// What was begun does not go on by itself once the page presents no more.
listen(() => {
  if (presentation().isOn) return;
  acts.abort();
  typing?.cancel();
});

function say(words) {
  remark = words;
  announce(words);
  tell();
}

function act() {
  acts.abort();
  acts = new AbortController();
  remark = "";
  return acts.signal;
}

/** Take what stands in the box aside, for when the presentation is over. */
export function setDraftAside() {
  const typed = box()?.value;
  if (!typed?.trim() || typing) return;
  const { aside } = presentation();
  change({ aside: aside ? `${aside}\n${typed}` : typed });
  emptyBox();
}

export function giveDraftBack() {
  const { aside } = presentation();
  if (!aside) return;
  change({ aside: "" });
  run("fill", aside);
}

async function openDocument(answer, number, signal) {
  page.onPoint?.(answer.address, -1);
  const list = () => [...document.querySelectorAll(".side-panel .sources > li")];
  if (!(await until(() => list().length > 0, signal))) return;
  const numbered = list().find((item) => item.querySelector(".source-number")?.textContent === String(number));
  const item = numbered ?? list()[number - 1];
  const opener = /** @type {HTMLElement | null | undefined} */ (item?.querySelector("[data-document]"));
  if (opener) opener.click();
  else say(t("Source {number} of this answer has no document to open.", { number }));
}

/** Open beside the answer of a step what the script names. */
async function open(step, signal) {
  const named = presentation().steps[step].open;
  const turn = turnOf(step);
  if (!named || !turn) return;
  const answer = answerOf(turn);
  if (!(await until(() => textOf(answer)?.dataset.status, signal))) return;
  if (named.what === "thoughts") {
    if (allows("thoughts")) page.onThoughts?.(answer.address);
    else say(t("Thoughts are not shown on this page."));
  } else if (answer.sources === 0) {
    say(t("This answer came without sources."));
  } else if (named.what === "sources") {
    page.onPoint?.(answer.address, -1);
  } else if (named.what === "document") {
    await openDocument(answer, named.number, signal);
  } else {
    const cited = /** @type {HTMLElement | null} */ (
      textOf(answer).querySelector(`[data-citation="${named.number}"][data-use]`)
    );
    if (cited) {
      page.onUse?.(answer.address, Number(cited.dataset.use));
      if (await until(() => document.querySelector(".side-panel"), signal)) cited.scrollIntoView({ block: "center" });
    } else say(t("There is no citation {number} in this answer.", { number: named.number }));
  }
}

// Closes what is open beside the conversation; what a step opens is in place of it.
async function clear(signal) {
  page.onClose?.();
  await until(() => !document.querySelector(".side-panel"), signal);
}

/**
 * Hear what the page knows now.
 * @param {typeof page} known
 */
export function inform(known) {
  const before = page.turns.at(-1);
  learn(known);
  const newest = page.turns.at(-1);
  lookForAnswer(complete);
  const { turns, asked } = presentation();
  const step = newest ? turns.indexOf(newest.id) : -1;
  if (step >= 0 && page.latest.live && !asked) {
    // It is made once more, whichever button asked for that.
    awaitAnswer(step, "");
    lookForAnswer(complete);
  }
  const isAdded = before && newest && before.conversation === newest.conversation && before.id !== newest.id;
  if (isAdded && step < 0) change({ isApart: true });
}

function complete(step) {
  const { isOn, isApart, at } = presentation();
  if (isOn && !isApart && at === step) open(step, act());
}

// Has the page show the conversation of the presentation, if there is one; false where it does not, or where an act of the
// presenter came in between.
async function comeBack(signal) {
  if (!(await until(() => page.isReady, signal))) return false;
  const { conversation } = presentation();
  const isHere = () => page.turns[0]?.conversation === conversation;
  if (!conversation || isHere()) return true;
  page.goTo?.(conversation);
  const isGone = () => page.missing === conversation;
  if (await until(() => isHere() || isGone(), signal)) {
    if (!isHere()) change({ turns: [], conversation: "" });
    return true;
  }
  return notLoaded(signal);
}

function notLoaded(signal) {
  if (!signal.aborted) say(t("That could not be loaded. Try again in a little while."));
  return false;
}

function forget(step) {
  const turns = [...presentation().turns];
  turns[step] = null;
  change({ turns });
}

// A long conversation is on the page with its end alone: has the turn of the step there too, if there is one; false as
// above.
async function bring(step, signal) {
  while (presentation().turns[step] && !turnOf(step) && page.hasEarlier) {
    const first = page.turns[0]?.id;
    page.onEarlier?.();
    if (!(await until(() => page.turns[0]?.id !== first, signal))) return notLoaded(signal);
  }
  return true;
}

async function ask(step, signal) {
  change({ at: step, isBlank: false, isApart: false });
  await clear(signal);
  if (signal.aborted) return;
  // A presentation begins with a conversation of its own: what was said before would be read with its first question.
  if (page.turns.length > 0 && presentation().conversation !== page.turns[0].conversation) {
    page.onNew?.();
    if (!(await until(() => page.turns.length === 0, signal))) return;
  }
  if (!(await until(() => page.isReady && box(), signal))) return;
  const { question } = presentation().steps[step];
  setDraftAside();
  typing = type(box(), question);
  tell();
  const isComplete = await typing.done;
  typing = null;
  tell();
  if (!isComplete || signal.aborted) return;
  emptyBox();
  const after = page.turns.at(-1)?.id ?? "";
  run("ask", question);
  awaitAnswer(step, after);
  lookForAnswer(complete);
}

/** Have the answer that is shown made once more. */
export async function again() {
  const { at, asked, turns, isApart } = presentation();
  if (asked || typing) return;
  if (!isApart && !turns[at]) {
    next();
    return;
  }
  const signal = act();
  if (!isApart && !((await comeBack(signal)) && (await bring(at, signal)))) return;
  const isNewest = isApart || turnOf(at) === page.turns.at(-1);
  if (!isNewest || !run("regenerate")) say(t("Only the newest answer can be asked for again."));
}

async function show(step, signal) {
  change({ at: step, isBlank: false, isApart: false });
  await clear(signal);
  if (!signal.aborted && presentation().asked?.step !== step) await open(step, signal);
}

// Goes to a step and shows it; one that was not asked, or whose answer is gone, is asked where `asks`.
async function go(step, asks) {
  const signal = act();
  if (!(await comeBack(signal)) || !(await bring(step, signal))) return;
  const isThere = presentation().asked?.step === step || Boolean(turnOf(step));
  if (!isThere) forget(step);
  // The page says nothing to a room of a conversation that is gone.
  if (!asks && page.missing) page.onNew?.();
  if (isThere || !asks) show(step, signal);
  else ask(step, signal);
}

export function next() {
  const { steps, turns, at, asked, isApart, isBlank } = presentation();
  if (isBlank) change({ isBlank: false });
  if (typing) {
    typing.hurry();
    return;
  }
  if (asked?.step === at || (isApart && page.latest.live)) {
    say(t("The answer is still being written."));
    return;
  }
  // A question that was not taken is asked once more.
  const to = at >= 0 && !turns[at] ? at : at + 1;
  if (to >= steps.length) say(t("That was the last step."));
  else if (!turns[to] && (page.isOtherLive || (asked && asked.step !== to)))
    say(t("The answer is still being written."));
  else go(to, true);
}

export function back() {
  const { at, isApart, isBlank } = presentation();
  if (isBlank) change({ isBlank: false });
  const wasTyping = Boolean(typing);
  if (wasTyping) cancelTyping();
  const to = isApart ? at : at - 1;
  if (to >= 0) go(to, false);
  else if (wasTyping) change({ at: -1 });
  else say(t("This is the first step."));
}

export function blank() {
  change({ isBlank: !presentation().isBlank });
}

function cancelTyping() {
  typing.cancel();
  act();
}

/** End the presentation: a step that is being typed is asked when it goes on, and an answer comes without being timed. */
export function stop() {
  leaveAnswer();
  leaveScreen();
  end();
  announce(t("The presentation has ended. Nothing is lost."));
}

/** Calls a listener whenever the state of a step may have changed. */
export const hearSteps = listeners.listen;

/**
 * How far the shown step is, for the presenter.
 * @returns {{ phase: "before" | "typing" | "waiting" | "writing" | "done" | "failed", since: number | null,
 *   outcome: import("./presentation.js").Outcome | null, remark: string }}
 */
export function progress() {
  const { at, asked, turns, outcomes, isApart } = presentation();
  if (typing) return { phase: "typing", since: null, outcome: null, remark };
  if (isApart) {
    const { live, error } = page.latest;
    const phase = live ? "writing" : error ? "failed" : "done";
    return { phase, since: null, outcome: { first: null, total: null, error }, remark };
  }
  const outcome = outcomes[at] ?? null;
  if (asked?.step === at) return { phase: outcome ? "writing" : "waiting", since: asked.at, outcome, remark };
  const phase = outcome?.error ? "failed" : outcome || turns[at] ? "done" : "before";
  return { phase, since: null, outcome, remark };
}
