// The stream of an answer is opened together with its question: the page names the answer, without waiting for its
// address. Events are buffered until the answer is on the page.

const BYTES = 16;
// Milliseconds after which an unused stream is closed: the question was refused.
const UNFOLLOWED = 4000;

const opened = new Map();

/** An unguessable name: browsers lack `randomUUID` on a page over HTTP. */
export const newName = () =>
  btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(BYTES))))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

/** Open the stream of the answer to the next question in `conversation`; returns the name for asking it. */
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

/** The early stream of the answer at `address`, if any, and its buffered events. */
export function takeEarly(address) {
  const ahead = opened.get(address);
  opened.delete(address);
  ahead?.taken.abort();
  return ahead;
}
