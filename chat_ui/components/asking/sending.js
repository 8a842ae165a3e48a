// Events by which other parts of the page have the composer send a question, take back one that waits, or show words that
// a person may send.

const SEND = "chat-ui-send";
const TAKE_BACK = "chat-ui-take-back";
const FILL = "chat-ui-fill";

const tell = (name, detail) => document.dispatchEvent(new CustomEvent(name, { detail }));

export const send = (question) => tell(SEND, question);
export const takeBack = (sent) => tell(TAKE_BACK, sent);
export const fill = (question) => tell(FILL, question);

/** Call `onSend` with each question to send, `onTakeBack` with each one to take back, and `onFill` with words to show. */
export function hearSenders(onSend, onTakeBack, onFill) {
  /** @param {any} event */
  const sending = ({ detail }) => onSend(detail);
  /** @param {any} event */
  const takingBack = ({ detail }) => onTakeBack(detail);
  /** @param {any} event */
  const filling = ({ detail }) => onFill(detail);
  document.addEventListener(SEND, sending);
  document.addEventListener(TAKE_BACK, takingBack);
  document.addEventListener(FILL, filling);
  return () => {
    document.removeEventListener(SEND, sending);
    document.removeEventListener(TAKE_BACK, takingBack);
    document.removeEventListener(FILL, filling);
  };
}
