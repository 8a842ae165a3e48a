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
