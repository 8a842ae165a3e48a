// The steps of a showing: what Page Down and Page Up do. A step types its question, asks it, waits for the end of the answer
// and opens what the script names; a step that was asked before is shown again.

import { fill, send } from "../asking/sending.js";
import { allows } from "../branding/branding.js";
import { run } from "../commands/commands.js";
import { t } from "../languages/language.js";
import "../languages/later.js";
import { announce } from "../speech/announcer.jsx";
import { change, listen, showing } from "./showing.js";
import { type } from "./typing.js";

const LOOK_EVERY = 50;
// Milliseconds that the page may take to show what was opened.
const PATIENCE = 10_000;

/**
 * What the page knows and can do, as the stage told it last.
 * @typedef {{ id: string, address: string, live: boolean, error: string, notice: string, sources: number }} Answer
 * @typedef {{ id: string, question: string, question_is_cut: boolean, answer: Answer }} Turn
 * @type {{
 *   turns: Turn[],
 *   latest: Answer,
 *   ready: boolean,
 *   refusal: string,
 *   returnedAs: string,
 *   onUse?: (address: string, use: number) => void,
 *   onPoint?: (address: string, point: number) => void,
 *   onThoughts?: (address: string) => void,
 *   onClose?: () => void,
 *   onNew?: () => void,
 * }}
 */
let page = { turns: [], latest: /** @type {any} */ ({}), ready: false, refusal: "", returnedAs: "" };
/** @type {ReturnType<typeof type> | null} */
let typing = null;
let looking = 0;
// A word to the presenter, until the next key.
let remark = "";
// Each act of the presenter ends what an earlier one still waits for.
let acts = new AbortController();
const listeners = new Set();

const tell = () => {
  for (const listener of listeners) listener();
};
listen(tell);

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

const box = () => /** @type {HTMLTextAreaElement | null} */ (document.querySelector("#message"));
const turnOf = (step) => page.turns.find(({ id }) => id === showing().turns[step]);
const answerOf = (turn) => (turn === page.turns.at(-1) ? page.latest : turn.answer);
const textOf = ({ address }) =>
  /** @type {HTMLElement | null} */ (document.querySelector(`.answer-text[data-address="${CSS.escape(address)}"]`));
const isAsked = (turn, question) =>
  turn.question_is_cut ? question.startsWith(turn.question) : turn.question.trim() === question;

/** Whether `condition` came true before `signal` or the patience ended. */
function until(condition, signal, patience = PATIENCE) {
  return new Promise((resolve) => {
    const late = performance.now() + patience;
    const look = () => {
      const found = condition();
      if (found || signal.aborted || performance.now() > late) {
        clearInterval(timer);
        resolve(!signal.aborted && found);
      }
    };
    const timer = setInterval(look, LOOK_EVERY);
    look();
  });
}

/** Take what stands in the box aside, for when the showing is over. */
export function setDraftAside() {
  const typed = box()?.value;
  if (!typed?.trim() || typing) return;
  if (typed !== showing().aside) change({ aside: typed });
  box().value = "";
}

export function giveDraftBack() {
  const { aside } = showing();
  if (!aside) return;
  change({ aside: "" });
  fill(aside);
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
  const named = showing().steps[step].open;
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

function note(step, outcome) {
  const outcomes = [...showing().outcomes];
  outcomes[step] = outcome;
  change({ outcomes, asked: null });
}

// Looks how far the awaited answer is.
function look() {
  const { asked, steps, turns, outcomes } = showing();
  if (!asked) {
    clearInterval(looking);
    looking = 0;
    return;
  }
  const { step, at, before, former, returnedAs } = asked;
  const seconds = (Date.now() - at) / 1000;
  const first = outcomes[step]?.first ?? null;
  let turn = turnOf(step);
  if (!turn) {
    turn = page.turns.findLast(({ id, ...rest }) => !before.includes(id) && isAsked(rest, steps[step].question));
    if (!turn) {
      // The box has the question again, which was not taken.
      if (page.returnedAs !== returnedAs) {
        if (box()?.value === steps[step].question) box().value = "";
        note(step, { first: null, total: seconds, error: page.refusal });
      }
      return;
    }
    const known = [...turns];
    known[step] = turn.id;
    change({ turns: known });
  }
  const answer = answerOf(turn);
  if (answer.id === former) return;
  const text = textOf(answer);
  if (first === null && text?.textContent.trim()) {
    const begun = [...outcomes];
    begun[step] = { first: seconds, total: 0, error: "" };
    change({ outcomes: begun });
  }
  if (answer.live || !text?.dataset.status) return;
  note(step, { first: showing().outcomes[step]?.first ?? null, total: seconds, error: answer.error || answer.notice });
  if (showing().isOn && showing().at === step) open(step, act());
}

function watch() {
  looking ||= setInterval(look, LOOK_EVERY);
}

/** Hear what the page knows now. */
export function inform(known) {
  page = known;
  if (showing().asked) watch();
  look();
}

async function ask(step) {
  const signal = act();
  change({ at: step, isBlank: false });
  await clear(signal);
  if (signal.aborted) return;
  // A showing begins with a conversation of its own: what was said before would be read with its first question.
  if (page.turns.length > 0 && !showing().steps.some((_, other) => turnOf(other))) {
    page.onNew?.();
    if (!(await until(() => page.turns.length === 0 && page.ready && box(), signal))) return;
  }
  const { question } = showing().steps[step];
  setDraftAside();
  typing = type(box(), question);
  tell();
  const isWhole = await typing.done;
  typing = null;
  if (!isWhole || signal.aborted) {
    tell();
    return;
  }
  if (box()) box().value = "";
  change({
    asked: { step, at: Date.now(), before: page.turns.map(({ id }) => id), former: "", returnedAs: page.returnedAs },
  });
  watch();
  send(question);
}

/** Have the shown step answered once more. */
export function again() {
  const { at, asked, outcomes } = showing();
  const turn = turnOf(at);
  act();
  if (asked || typing) return;
  if (!turn) next();
  else if (turn === page.turns.at(-1) && run("regenerate")) {
    const others = [...outcomes];
    others[at] = null;
    change({
      outcomes: others,
      asked: { step: at, at: Date.now(), before: [], former: page.latest.id, returnedAs: page.returnedAs },
    });
    watch();
  } else say(t("Only the newest answer can be asked for again."));
}

async function show(step) {
  const signal = act();
  change({ at: step, isBlank: false });
  await clear(signal);
  if (showing().asked?.step !== step) await open(step, signal);
}

export function next() {
  const { steps, at, asked, isBlank } = showing();
  if (isBlank) change({ isBlank: false });
  if (typing) {
    typing.hurry();
    return;
  }
  if (asked && asked.step === at) {
    say(t("The answer is still being written."));
    return;
  }
  // A question that was not taken is asked once more.
  const to = at >= 0 && !turnOf(at) ? at : at + 1;
  if (to >= steps.length) say(t("That was the last step."));
  else if (turnOf(to) || asked) show(to);
  else ask(to);
}

export function back() {
  const { at, isBlank } = showing();
  if (isBlank) change({ isBlank: false });
  if (typing) {
    typing.cancel();
    act();
    change({ at: at - 1 });
    return;
  }
  if (at > 0) show(at - 1);
  else say(t("This is the first step."));
}

export function blank() {
  change({ isBlank: !showing().isBlank });
}

/** End what is being typed: the showing ends, and its step is asked when it goes on. */
export function pause() {
  if (!typing) return;
  typing.cancel();
  act();
  change({ at: showing().at - 1 });
}

/** Call `listener` whenever the state of a step may have changed; returns the function that ends this. */
export function hearSteps(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * How far the shown step is, for the presenter.
 * @returns {{ phase: "before" | "typing" | "waiting" | "writing" | "done" | "failed", since: number | null,
 *   outcome: import("./showing.js").Outcome | null, remark: string }}
 */
export function progress() {
  const { at, asked, outcomes } = showing();
  const outcome = outcomes[at] ?? null;
  const isAwaited = asked?.step === at;
  const phase = typing
    ? "typing"
    : isAwaited
      ? typeof outcome?.first === "number"
        ? "writing"
        : "waiting"
      : !outcome
        ? "before"
        : outcome.error
          ? "failed"
          : "done";
  return { phase, since: isAwaited ? asked.at : null, outcome, remark };
}
