// The steps of a presentation: the actions of Page Down and Page Up. A step types its question, asks it, waits for the
// end of the answer and opens the script's part. A step that was asked before is shown again.

import { allows } from "../../../page/painted/options.js";
import { run } from "../../../page/commands/commands.js";
import { t } from "../../../page/languages/language.js";
import { Listeners } from "../../../page/shared/hearing.js";
import { announce } from "../../../page/announcing/announcer.jsx";
import { awaitAnswer, leaveAnswer, lookForAnswer } from "./awaited.js";
import { leaveScreen } from "./full_screen.js";
import { answerOf, box, emptyBox, learn, page, textOf, turnOf, until } from "./known_page.js";
import { change, end, listen, presentation, withStep } from "./presentation.js";
import { type } from "./typing.js";

/** @type {ReturnType<typeof type> | null} */
let typing = null;
// A remark to the presenter, until the next key.
let remark = "";
// Each action of the presenter cancels the waits of an earlier one.
let acts = new AbortController();
const listeners = new Listeners();
const { tell } = listeners;
listen(tell);
// Pending actions are cancelled at the end of presentation mode.
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

/** Store the draft of the box until the presentation ends. */
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

/** Open the script's part beside the answer of a step. */
async function open(step, signal) {
  const named = presentation().steps[step].open;
  const turn = turnOf(step);
  if (!named || !turn) return;
  const answer = answerOf(turn);
  if (!(await until(() => textOf(answer)?.dataset.status, signal))) return;
  if (named.what === "thoughts") {
    if (allows("thoughts")) page.onThoughts?.(answer.address);
    else say(t("Thoughts are turned off on this page."));
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
    } else say(t("This answer has no citation {number}.", { number: named.number }));
  }
}

// Closes the part beside the conversation; a step's part replaces it.
async function clear(signal) {
  page.onClose?.();
  await until(() => !document.querySelector(".side-panel"), signal);
}

/**
 * Receive the state of the page.
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
    // It is regenerated, by any button.
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

// Has the page show the conversation of the presentation, if any; false if it does not, or after another action of the
// presenter.
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
  if (!signal.aborted) say(t("Loading failed. Try again in a moment."));
  return false;
}

// A long conversation loads only its end: loads the step's turn too, if any; false as above.
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
  // A presentation starts with a new conversation: earlier messages would be sent with its first question.
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

/** Regenerate the displayed answer. */
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
  if (!isNewest || !run("regenerate")) say(t("Only the newest answer can be regenerated."));
}

async function show(step, signal) {
  change({ at: step, isBlank: false, isApart: false });
  await clear(signal);
  if (!signal.aborted && presentation().asked?.step !== step) await open(step, signal);
}

// Goes to a step and shows it; with `asks`, a step without an answer is asked.
async function go(step, asks) {
  const signal = act();
  if (!(await comeBack(signal)) || !(await bring(step, signal))) return;
  const isThere = presentation().asked?.step === step || Boolean(turnOf(step));
  if (!isThere) change({ turns: withStep(presentation().turns, step, null) });
  // The page does not tell an audience about a deleted conversation.
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
  // A refused question is asked again.
  const to = at >= 0 && !turns[at] ? at : at + 1;
  if (to >= steps.length) say(t("End of the script"));
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
  else say(t("First step."));
}

export function blank() {
  change({ isBlank: !presentation().isBlank });
}

function cancelTyping() {
  typing.cancel();
  act();
}

/** End the presentation: a partly typed step is asked on resuming, and a pending answer is not timed. */
export function stop() {
  leaveAnswer();
  leaveScreen();
  end();
  announce(t("The presentation has ended. The conversation is kept."));
}

/** Calls a listener whenever the state of a step may have changed. */
export const hearSteps = listeners.listen;

/**
 * The progress of the displayed step, for the presenter.
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
