// Questions that are in the conversation and are not written yet: a server that dies takes them with it. Their words stay in
// the browser until the server says that they are written, also for the page that comes after this one.

import { useEffect } from "react";

const UNKEPT = "chat-ui-unkept";

const unkept = () => JSON.parse(sessionStorage.getItem(UNKEPT)) ?? [];

function setUnkept(questions) {
  if (questions.length > 0) sessionStorage.setItem(UNKEPT, JSON.stringify(questions));
  else sessionStorage.removeItem(UNKEPT);
}

const nameOf = ({ conversation, turn }) => `${conversation}.${turn}`;

export function holdUntilWritten(question) {
  setUnkept([...unkept().filter((one) => nameOf(one) !== nameOf(question)), question]);
}

// The turns of a `conversation` are `written` or not yet; of others, and of those that are not there, the server is asked
// each time that the page is `ready`, and answers with its `findings`: by their names, whether they are written, and false
// where there are none such.
export function useUnkept({ conversation, turns, written, ready, findings, onAsk, onLost }) {
  useEffect(() => {
    const isHere = (one) => one.conversation === conversation && turns.some((turn) => turn.id === one.turn);
    if (written) setUnkept(unkept().filter((one) => !isHere(one)));
  }, [turns, written]);
  useEffect(() => {
    const names = unkept().map(nameOf);
    if (ready && names.length > 0) onAsk?.(names);
  }, [ready]);
  useEffect(() => {
    const held = unkept();
    const lost = held.filter((one) => findings[nameOf(one)] === false);
    const left = held.filter((one) => findings[nameOf(one)] === undefined);
    if (left.length < held.length) setUnkept(left);
    if (lost.length > 0) onLost(lost);
  }, [findings]);
}
