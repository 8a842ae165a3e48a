// Where sentences end, in any script. A full stop of ASCII ends one before white space alone, and none after a number
// that may go on. As by the rules of Unicode (UAX 29, which `Intl.Segmenter` has), none ends before a small letter. Those
// rules know no abbreviations, which a capital letter or a number may follow.

const CLOSERS = String.raw`[\p{Pe}\p{Pf}"']*`;
const LETTER = String.raw`[\p{L}\p{M}\p{N}]`;
// Single letters, as in “e.g.” and “z. B.”, and what stands before a name or an example.
const ABBREVIATION = String.raw`[\p{Lu}\p{Ll}]|Dr|Mr|Mrs|Ms|Prof|St|Sr|Sra|Dra|Sig|Dott|Mme|Mlle|approx|cf|ex|vs|bzw|ca|evtl|ggf|inkl|Nr|vgl|ej|np`;
const BEFORE_NUMBER = "No|Abb|Abs|Art|Cap|Fig|Kap|Sec|Vol|art|cap|fig|no|pp|sec|vol|núm|str";
const NOT_AFTER = String.raw`(?<!(?<!${LETTER})(?:${ABBREVIATION}))(?<!^\s*\d+)`;
const NOT_BEFORE = String.raw`(?!${CLOSERS}\s+\p{Ll})(?!(?<=(?<!${LETTER})(?:${BEFORE_NUMBER})\.)\s+\d)`;
const ENDS = new RegExp(
  [
    String.raw`[!?](?=${CLOSERS}(?:\s|$))`,
    String.raw`${NOT_AFTER}[.…]${NOT_BEFORE}(?=${CLOSERS}\s)`,
    String.raw`(?<!\d)${NOT_AFTER}[.…](?=${CLOSERS}$)`,
    String.raw`(?<=\p{Script=Greek});(?=\s|$)`,
    String.raw`(?![.!?…])\p{Sentence_Terminal}`,
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
