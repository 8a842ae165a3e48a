// The presentation of this tab: whether the page presents, its script, and its progress. The browser stores it until
// the tab is closed, so a reloaded page resumes it.

import { useSyncExternalStore } from "react";
import { newName } from "../../../page/thread/early_stream.js";
import { Listeners } from "../../../page/shared/hearing.js";

/** The storage key, which the document reads before the first paint. */
const KEPT = "chat-ui-presenting";

/**
 * @typedef {{ what: "sources" | "thoughts" | "citation" | "document", number: number | null }} Opening
 * @typedef {{ question: string, open: Opening | null, notes: string }} Step
 * @typedef {{ first: number | null, total: number | null, error: string }} Outcome Seconds from the question, null if
 *   not timed, and the failure.
 * @typedef {object} Showing
 * @property {string} id
 * @property {boolean} isOn
 * @property {boolean} isBlank
 * @property {number} since Its start in milliseconds of the epoch; 0 before.
 * @property {Step[]} steps
 * @property {string | null} file The name of the script's file; null for the operator's or an empty script.
 * @property {boolean} isChosen Whether a person has chosen this script, or removed it.
 * @property {number} at The step that is shown, -1 before the first.
 * @property {(string | null)[]} turns The turn of each step that was asked.
 * @property {string} conversation The conversation of these turns.
 * @property {boolean} isApart Whether the newest answer, outside of the script, is shown.
 * @property {(Outcome | null)[]} outcomes
 * @property {{ step: number, at: number | null, after: string, into: string, returnedAs: string } | null} asked The step
 *   with a pending answer, its start (null if presentation mode was interrupted), and the turn before it. `into` is its
 *   conversation once sent, `returnedAs` the last refused question.
 * @property {string} aside The draft in the box before the script's text.
 */

const AT_START = { at: -1, turns: [], conversation: "", isApart: false, outcomes: [], asked: null };
/** @type {Showing} */
const BEFORE = {
  ...AT_START,
  id: "",
  isOn: false,
  isBlank: false,
  since: 0,
  steps: [],
  file: null,
  isChosen: false,
  aside: "",
};
const listeners = new Listeners();
/** @type {Showing | undefined} */
let current;

/** Calls a listener after each change. */
export const { listen } = listeners;

function read() {
  try {
    return { ...BEFORE, ...JSON.parse(sessionStorage.getItem(KEPT)) };
  } catch {
    return BEFORE;
  }
}

/** @returns {Showing} */
export function presentation() {
  current ??= read();
  return current;
}

/** @param {Partial<Showing>} changed */
export function change(changed) {
  current = { ...presentation(), ...changed };
  sessionStorage.setItem(KEPT, JSON.stringify(current));
  listeners.tell();
}

/** A copy of a list with `value` for `step`, such as of the turns. */
export const withStep = (list, step, value) => Object.assign([...list], { [step]: value });

export const usePresentation = () => useSyncExternalStore(listen, presentation, () => BEFORE);

/** Restart with the first step. */
export const startOver = () => change({ ...AT_START, since: presentation().isOn ? Date.now() : 0 });

/** Use these steps, starting with the first. */
export function takeScript(steps, file, isChosen) {
  change({ steps, file, isChosen });
  startOver();
}

/** The id of the presentation, for the presenter's window. */
export function withId() {
  if (!presentation().id) change({ id: newName() });
  return presentation().id;
}

/** In a duplicated tab: make it another presentation, which is off. */
export function become() {
  const { steps, file, aside } = presentation();
  change({ ...BEFORE, steps, file, aside, isChosen: true });
}

/** Start to present immediately. */
export const begin = () =>
  change({ isOn: true, isBlank: false, id: withId(), since: presentation().since || Date.now() });

export const end = () => change({ isOn: false, isBlank: false });
