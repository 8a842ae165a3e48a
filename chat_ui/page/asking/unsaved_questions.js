// Questions in the conversation that the server has not stored yet, and may lose at a crash. Their text stays in the
// browser until stored, also for the next page.

import { useEffect } from "react";

const STORAGE_KEY = "chat-ui-unkept";

const unsaved = () => JSON.parse(sessionStorage.getItem(STORAGE_KEY)) ?? [];

function setUnsaved(questions) {
  if (questions.length > 0) sessionStorage.setItem(STORAGE_KEY, JSON.stringify(questions));
  else sessionStorage.removeItem(STORAGE_KEY);
}

const nameOf = ({ conversation, turn }) => `${conversation}.${turn}`;

export function holdUntilSaved(question) {
  setUnsaved([...unsaved().filter((one) => nameOf(one) !== nameOf(question)), question]);
}

// The turns of a `conversation` are `written` or not yet. Each time that the page is `ready`, it asks the server about
// other and missing ones. `findings` maps names to whether a question is stored; false for an unknown one.
export function useUnsaved({ conversation, turns, written, ready, findings, onAsk, onLost }) {
  useEffect(() => {
    const isHere = (one) => one.conversation === conversation && turns.some((turn) => turn.id === one.turn);
    if (written) setUnsaved(unsaved().filter((one) => !isHere(one)));
  }, [turns, written]);
  useEffect(() => {
    const names = unsaved().map(nameOf);
    if (ready && names.length > 0) onAsk?.(names);
  }, [ready]);
  useEffect(() => {
    const held = unsaved();
    const lost = held.filter((one) => findings[nameOf(one)] === false);
    const left = held.filter((one) => findings[nameOf(one)] === undefined);
    if (left.length < held.length) setUnsaved(left);
    if (lost.length > 0) onLost(lost);
  }, [findings]);
}
