// The channel to the presenter's window (`chat_ui/features/presenting/routes/notes_window.js`): the page sends the
// progress of the presentation, and runs the window's commands.

import { t } from "../../../page/languages/language.js";
import { page } from "./known_page.js";
import { openingWords } from "./opening.js";
import { presentation } from "./presentation.js";
import { again, back, blank, hearSteps, next, progress, stop } from "./steps.js";

/** The channel of all pages of this server: a message has the id of its presentation. */
const CHANNEL = "chat-ui-presenting";
const ACTS = { next, back, blank, again, end: stop };

const tenths = (seconds) => Math.round(seconds * 10) / 10;

function statusWords({ phase, outcome }) {
  const first = outcome?.first ?? null;
  const total = outcome?.total ?? null;
  const times = { first: tenths(first), total: tenths(total) };
  if (phase === "typing") return t("The question is being typed");
  if (phase === "waiting") return t("Waiting for the first text");
  if (phase === "failed") return outcome.error;
  if (phase === "before") return t("Not asked yet");
  if (phase === "writing") {
    return first === null ? t("The answer is being written") : t("First text after {first} s, writing", times);
  }
  if (total === null) return t("Done");
  return first === null ? t("Done in {total} s", times) : t("Done in {total} s, first text after {first} s", times);
}

const shown = (step) => step && { question: step.question, notes: step.notes, opens: openingWords(step.open) };

// A question outside of the script.
const apart = () => ({ question: page.turns.at(-1)?.question ?? "", notes: "", opens: t("Not part of the script") });

function state() {
  const { id, isOn, isBlank, isApart, since, steps, at } = presentation();
  const now = progress();
  return {
    presentation: id,
    isOn,
    isBlank,
    since,
    number: at + 1,
    total: steps.length,
    step: isApart ? apart() : shown(steps[at]),
    next: shown(steps[at + 1]),
    phase: now.phase,
    status: statusWords(now),
    awaitedSince: now.since,
    remark: now.remark,
  };
}

/** Send each change to the presenter's window, and run its commands; returns a function that stops this. */
export function keepPresenterInformed() {
  const channel = new BroadcastChannel(CHANNEL);
  let last = "";
  const tell = () => {
    const now = state();
    const words = JSON.stringify(now);
    if (words === last) return;
    last = words;
    channel.postMessage(now);
  };
  channel.onmessage = ({ data }) => {
    if (data?.for !== presentation().id) return;
    last = "";
    if (Object.hasOwn(ACTS, data.act)) ACTS[data.act]();
    tell();
  };
  const leave = hearSteps(tell);
  tell();
  return () => {
    leave();
    last = "";
    tell();
    channel.close();
  };
}
