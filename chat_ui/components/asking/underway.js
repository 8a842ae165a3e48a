// Questions that were sent and are not in the conversation yet. Those that have to wait for the connection, or for an
// answer before them, are handed over to it one after another; and a connection can be dead long before anybody hears of
// it. So all of them are kept until they are seen in the conversation, also for the page that comes after this one.

import { useSyncExternalStore } from "react";

const UNDERWAY = "chat-ui-underway";
const CLAIMED = "chat-ui-handed-over";
const MOST_CLAIMED = 100;
const NONE = [];
const listeners = new Set();
let stored = "";
let questions = NONE;

export function underway() {
  const now = sessionStorage.getItem(UNDERWAY) ?? "";
  if (now !== stored) [stored, questions] = [now, now ? JSON.parse(now) : NONE];
  return questions;
}

export function setUnderway(changed) {
  if (changed.length > 0) sessionStorage.setItem(UNDERWAY, JSON.stringify(changed));
  else sessionStorage.removeItem(UNDERWAY);
  for (const listener of listeners) listener();
}

/** Whether this tab is the first to hand over the question of this time: a tab that was duplicated has its questions too. */
export function claim(sentAt) {
  const claimed = JSON.parse(localStorage.getItem(CLAIMED)) ?? [];
  if (claimed.includes(sentAt)) return false;
  localStorage.setItem(CLAIMED, JSON.stringify([...claimed, sentAt].slice(-MOST_CLAIMED)));
  return true;
}

function subscribe(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export const useUnderway = () => useSyncExternalStore(subscribe, underway, () => NONE);

// The turn of one of these conversations that came after the one that was the last, and has this question.
export function turnOf({ question, after, into }, conversations, turns) {
  if (into && !conversations.includes(into)) return undefined;
  const since = turns.slice(turns.findIndex((turn) => turn.id === after) + 1);
  return since.find((turn) => (turn.question_is_cut ? question.startsWith(turn.question) : question === turn.question));
}
