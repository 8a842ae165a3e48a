// The presentation of this tab: whether the page presents, after which script, and how far that has come. The browser
// keeps it until the tab is closed, so a page that is loaded again goes on where it was.

import { useSyncExternalStore } from "react";
import { newName } from "../../../page/thread/early_stream.js";
import { Listeners } from "../../../page/shared/hearing.js";

/** The name under which the browser keeps it; the document reads it before the first paint. */
const KEPT = "chat-ui-presenting";

/**
 * @typedef {{ what: "sources" | "thoughts" | "citation" | "document", number: number | null }} Opening
 * @typedef {{ question: string, open: Opening | null, notes: string }} Step
 * @typedef {{ first: number | null, total: number | null, error: string }} Outcome Seconds from the question, null where
 *   nobody looked, and what failed.
 * @typedef {object} Showing
 * @property {string} id
 * @property {boolean} isOn
 * @property {boolean} isBlank
 * @property {number} since When it began, in milliseconds of the epoch; 0 before that.
 * @property {Step[]} steps
 * @property {string | null} file The name of the script's file; null for the operator's script, or none.
 * @property {boolean} isChosen Whether a person has chosen this script, or none at all.
 * @property {number} at The step that is shown, -1 before the first.
 * @property {(string | null)[]} turns The turn of each step that was asked.
 * @property {string} conversation The one that these turns are in.
 * @property {boolean} isApart Whether the newest answer is shown, which is none of the script's.
 * @property {(Outcome | null)[]} outcomes
 * @property {{ step: number, at: number | null, after: string, into: string, returnedAs: string } | null} asked The step
 *   whose answer is awaited, since when (null where the page did not present all the time), the turn before it, the
 *   conversation that it was handed over to, if it was, and what was returned last.
 * @property {string} aside What stood in the box before the script wrote there.
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

export const usePresentation = () => useSyncExternalStore(listen, presentation, () => BEFORE);

/** Begin again with the first step. */
export const startOver = () => change({ ...AT_START, since: presentation().isOn ? Date.now() : 0 });

/** Take these steps, from the first on. */
export function takeScript(steps, file, isChosen) {
  change({ steps, file, isChosen });
  startOver();
}

/** The name of the presentation, for the presenter's window. */
export function withId() {
  if (!presentation().id) change({ id: newName() });
  return presentation().id;
}

/** In a tab that was duplicated: what it has is another presentation, which is not on. */
export function become() {
  const { steps, file, aside } = presentation();
  change({ ...BEFORE, steps, file, aside, isChosen: true });
}

/** Present from now on: the page shows that at once. */
export const begin = () =>
  change({ isOn: true, isBlank: false, id: withId(), since: presentation().since || Date.now() });

export const end = () => change({ isOn: false, isBlank: false });
