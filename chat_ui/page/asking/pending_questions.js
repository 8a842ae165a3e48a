// Sent questions that are not in the conversation yet. Those that wait for the connection, or for an earlier answer,
// are sent in order. A connection can be lost long before the browser detects it. So all are stored until they appear
// in the conversation, also for the next page.

import { useSyncExternalStore } from "react";
import { Listeners } from "../shared/hearing.js";

const STORAGE_KEY = "chat-ui-underway";
const CLAIMED = "chat-ui-handed-over";
const MOST_CLAIMED = 100;
const NONE = [];
const { listen, tell } = new Listeners();
let stored = "";
let questions = NONE;

export function pending() {
  const now = sessionStorage.getItem(STORAGE_KEY) ?? "";
  if (now !== stored) [stored, questions] = [now, now ? JSON.parse(now) : NONE];
  return questions;
}

export function setPending(changed) {
  if (changed.length > 0) sessionStorage.setItem(STORAGE_KEY, JSON.stringify(changed));
  else sessionStorage.removeItem(STORAGE_KEY);
  tell();
}

/** Whether this tab is the first to send the question of this time: a duplicated tab has the same questions. */
export function claim(sentAt) {
  const claimed = JSON.parse(localStorage.getItem(CLAIMED)) ?? [];
  if (claimed.includes(sentAt)) return false;
  localStorage.setItem(CLAIMED, JSON.stringify([...claimed, sentAt].slice(-MOST_CLAIMED)));
  return true;
}

export const usePending = () => useSyncExternalStore(listen, pending, () => NONE);

// The turn with this question in one of these conversations, later than the turn `after`.
export function turnOf({ question, after, into }, conversations, turns) {
  if (into && !conversations.includes(into)) return undefined;
  const since = turns.slice(turns.findIndex((turn) => turn.id === after) + 1);
  return since.find((turn) => (turn.question_is_cut ? question.startsWith(turn.question) : question === turn.question));
}
