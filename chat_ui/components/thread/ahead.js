// The stream of an answer is opened together with its question: the page gives the answer its name, so that it need not
// wait to be told where the answer is. What comes before the answer has its place on the page is kept for it.

const BYTES = 16;
// Milliseconds after which a stream that nothing on the page follows is closed: the question was not taken.
const UNFOLLOWED = 4000;

const opened = new Map();

const newName = () =>
  btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(BYTES))))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

/** Open the stream of the answer that a question in `conversation` will have; returns the name to ask it under. */
export function openAhead(answers, conversation) {
  if (!conversation) return "";
  const name = newName();
  const address = `${answers}/${conversation}.${name}`;
  const source = new EventSource(`${address}/stream`);
  const events = [];
  const taken = new AbortController();
  for (const type of ["message", "end", "lost"])
    source.addEventListener(type, (event) => events.push(event), { signal: taken.signal });
  opened.set(address, { source, events, taken });
  setTimeout(() => opened.delete(address) && source.close(), UNFOLLOWED);
  return name;
}

/** Whether the stream of the answer at `address` was opened ahead: it may have ended before the page was told of it. */
export const isAhead = (address) => opened.has(address);

/** The stream of the answer at `address`, if it was opened ahead, and the events that have come by it. */
export function takeAhead(address) {
  const ahead = opened.get(address);
  opened.delete(address);
  ahead?.taken.abort();
  return ahead;
}
