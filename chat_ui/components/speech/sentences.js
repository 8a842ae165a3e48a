// Where sentences end, in any script. A full stop of ASCII ends one before white space alone, and none after a number
// that may go on.

const CLOSERS = String.raw`[\p{Pe}\p{Pf}"']*`;
const ENDS = new RegExp(
  [
    String.raw`[.!?…](?=${CLOSERS}\s)`,
    String.raw`(?<!\d)[.!?…](?=${CLOSERS}$)`,
    String.raw`(?<=\p{Script=Greek});(?=\s|$)`,
    String.raw`(?![.!?])\p{Sentence_Terminal}`,
  ]
    .map((end) => `(?:${end})${CLOSERS}`)
    .join("|"),
  "gu",
);

export const sentenceEnds = (text) => Array.from(text.matchAll(ENDS), ({ index, 0: end }) => index + end.length);

const PAUSE = /[\s،、，；：]+/g;

/** `text` in parts of at most so many characters: cut at the end of a sentence if there is one, else at a pause. */
export function partsOf(text, mostCharacters) {
  const found = [];
  let rest = text.replace(/\s+/g, " ").trim();
  while (rest.length > mostCharacters) {
    const most = rest.slice(0, mostCharacters).replace(/[\ud800-\udbff]$/, "");
    const pauses = Array.from(most.matchAll(PAUSE), ({ index, 0: pause }) => index + pause.length);
    const end = sentenceEnds(most).at(-1) ?? pauses.at(-1) ?? most.length;
    found.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end).trimStart();
  }
  return rest ? [...found, rest] : found;
}

/** The sentences of `text` one by one, with what follows the last of them. */
export function sentencesOf(text) {
  const ends = [0, ...sentenceEnds(text), text.length];
  return ends
    .slice(1)
    .map((end, at) => text.slice(ends[at], end).trim())
    .filter(Boolean);
}
