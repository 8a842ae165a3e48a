// Events by which other parts of the page have the composer send a question, or take back one that waits.

const SEND = "chat-ui-send";
const TAKE_BACK = "chat-ui-take-back";

const tell = (name, detail) => document.dispatchEvent(new CustomEvent(name, { detail }));

export const send = (question) => tell(SEND, question);
export const takeBack = (sent) => tell(TAKE_BACK, sent);

/** Call `onSend` with each question to send, and `onTakeBack` with each one to take back. */
export function hearSenders(onSend, onTakeBack) {
  /** @param {any} event */
  const sending = ({ detail }) => onSend(detail);
  /** @param {any} event */
  const takingBack = ({ detail }) => onTakeBack(detail);
  document.addEventListener(SEND, sending);
  document.addEventListener(TAKE_BACK, takingBack);
  return () => {
    document.removeEventListener(SEND, sending);
    document.removeEventListener(TAKE_BACK, takingBack);
  };
}
