// The stream of an answer is opened together with its question: the page names the answer, and need not wait for its
// address. Events that come before the answer has its place on the page are kept for it.

const BYTES = 16;
// Milliseconds after which a stream that nothing on the page follows is closed: the question was refused.
const UNFOLLOWED = 4000;

const opened = new Map();

/** A name that nobody guesses: browsers have no `randomUUID` where the page came over HTTP. */
export const newName = () =>
  btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(BYTES))))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

/** Open the stream of the answer that a question in `conversation` will have; returns the name to ask it under. */
export function openEarly(answers, conversation) {
  if (!conversation) return "";
  const name = newName();
  const address = `${answers}/${conversation}.${name}`;
  const source = new EventSource(`${address}/stream`);
  const events = [];
  const taken = new AbortController();
  for (const type of ["message", "language", "end", "lost"])
    source.addEventListener(type, (event) => events.push(event), { signal: taken.signal });
  opened.set(address, { source, events, taken });
  setTimeout(() => opened.delete(address) && source.close(), UNFOLLOWED);
  return name;
}

/** Whether the stream of the answer at `address` was opened early: it may end before the page learns of the answer. */
export const isEarly = (address) => opened.has(address);

/** The stream of the answer at `address`, if it was opened early, and the events that it has brought. */
export function takeEarly(address) {
  const ahead = opened.get(address);
  opened.delete(address);
  ahead?.taken.abort();
  return ahead;
}
