// The line to the presenter's window (`chat_ui/features/presenting/routes/notes_window.js`): the page tells it how far
// the presentation is, and does what is pressed there.

import { t } from "../../../page/languages/language.js";
import { page } from "./known_page.js";
import { openingWords } from "./opening.js";
import { presentation } from "./presentation.js";
import { again, back, blank, hearSteps, next, progress, stop } from "./steps.js";

/** The name of the channel, which all pages of this server share: a message names the presentation that it belongs to. */
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

// A question that is none of the script's.
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

/** Tell the presenter's window of each change, and do what it asks for; returns what ends this. */
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
