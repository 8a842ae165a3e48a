// Finds a sentence of a passage in the text of a document: by its parts, and by the passage around it. A text is its
// `letters`. Pages, columns, headers and footers may separate the parts.

/** Sentences with fewer letters are found as a whole, not within a word, and by the passage around them. */
export const SHORT = 24;
const LONG = 60;
// Letters that a header and a footer, or a line of another column, have at most between two parts of a sentence.
const FARTHEST = 400;
// Letters between parts that count as none, and letters that a part after more of them has at least.
const CLOSE = 3;
const SHORTEST = 8;
// The share of a sentence that is found, and by which another place has less.
const LEAST = 0.6;
const MARGIN = 0.15;
// The share of the letters that may be other digits: a sentence with other numbers is another sentence.
const DIGITS = 0.01;
const NUMBER = /^\p{N}+$/u;
// Letters of the passage that are compared before and after a sentence, and those next to it.
const AROUND = 1000;
const BESIDE = 200;
const SHINGLE = 12;
const LEAD = 3;
const MOST_RUNS = 20_000;
const MOST_BEFORE = 50;

/**
 * A part of the sentence, with the best one before it, of which `shared` letters are left out.
 * @typedef {{ at: number, from: number, length: number, shared: number, score: number, before: Run | null }} Run
 * The parts of a place as [start, end] in the text, the number of their letters, and which part of the sentence is last.
 * @typedef {{ parts: [number, number][], found: number, score: number, from: number, to: number }} Place
 */

// The longest common parts of the text and the sentence, by their place in the text; none where the text repeats itself.
function runsOf(text, sentence) {
  const size = sentence.length < SHORT ? sentence.length : sentence.length < LONG ? SHINGLE / 2 : SHINGLE;
  const seeds = new Map();
  for (let from = 0; from + size <= sentence.length; from += Math.ceil(size / 2)) {
    const seed = sentence.slice(from, from + size);
    seeds.set(seed, [...(seeds.get(seed) ?? []), from]);
  }
  /** @type {Run[]} */
  const runs = [];
  const ends = new Map();
  for (let at = 0; at + size <= text.length; at += 1)
    for (const from of seeds.get(text.slice(at, at + size)) ?? []) {
      if (ends.get(at - from) > at) continue;
      const back = common(text, sentence, at - 1, from - 1, -1, from);
      const length = back + common(text, sentence, at, from, 1, sentence.length);
      runs.push({ at: at - back, from: from - back, length, shared: 0, score: length, before: null });
      ends.set(at - from, at - back + length);
      if (runs.length > MOST_RUNS) return [];
    }
  return runs.sort((one, other) => one.at - other.at);
}

// The number of equal letters of two texts from these positions on, `most` at most.
function common(one, other, at, from, step, most) {
  let length = 0;
  while (
    length < most &&
    one[at + step * length] !== undefined &&
    one[at + step * length] === other[from + step * length]
  )
    length += 1;
  return length;
}

// Gives each run the runs before it that make the most of the sentence.
function join(runs) {
  for (const [index, run] of runs.entries())
    for (const before of runs.slice(Math.max(0, index - MOST_BEFORE), index)) {
      const shared = Math.max(0, before.at + before.length - run.at, before.from + before.length - run.from);
      const gap = run.at + shared - before.at - before.length;
      if (shared >= run.length || gap > FARTHEST) continue;
      const score = before.score + run.length - shared - (gap > CLOSE ? SHORTEST : 0);
      if (score > run.score) Object.assign(run, { score, shared, before });
    }
}

// The number of digits in a missing part of the sentence that the text in its place does not have.
function otherDigits(missing, text) {
  let at = 0;
  const others = (missing.match(/\p{N}/gu) ?? []).filter((digit) => {
    const found = text.indexOf(digit, at);
    if (found >= 0) at = found + 1;
    return found < 0;
  });
  return others.length;
}

const isInNumber = (letters, at) => NUMBER.test(letters[at - 1] ?? "") && NUMBER.test(letters[at] ?? "");

// Whether a number goes on beyond the edge of a part in the text, but not in the sentence.
const goesOn = (text, at, sentence, from) =>
  from > 0 && from < sentence.length && isInNumber(text, at) && !isInNumber(sentence, from);

/** @returns {Place | null} the place that ends with a run, if it is the sentence's */
function placeOf(text, sentence, last) {
  /** @type {[number, number][]} */
  const parts = [];
  let found = 0;
  let digits = 0;
  let from = sentence.length;
  let start = last.at + sentence.length - last.from + CLOSE;
  for (let run = last; run; run = run.before) {
    const end = run.at + run.length;
    const missing = sentence.slice(run.from + run.length, from);
    const between = text.slice(end, start);
    digits += otherDigits(missing, between);
    if (run !== last && !missing && NUMBER.test(between) && isInNumber(sentence, from)) return null;
    from = run.from + run.shared;
    start = run.at + run.shared;
    if (goesOn(text, end, sentence, run.from + run.length) || goesOn(text, start, sentence, from)) return null;
    found += end - start;
    if (parts.length && parts[0][0] - end <= CLOSE) parts[0][0] = start;
    else parts.unshift([start, end]);
  }
  digits += otherDigits(sentence.slice(0, from), text.slice(Math.max(0, start - from - CLOSE), start));
  if (found < LEAST * sentence.length || digits > DIGITS * sentence.length) return null;
  return { parts, found, score: last.score, from, to: last.from + last.length };
}

const startOf = (place) => place.parts[0][0];
const endOf = (place) => place.parts.at(-1)[1];

/** @returns {Place[]} the places of a sentence in a text, apart from much worse ones */
function placesOf(text, sentence) {
  const runs = runsOf(text, sentence);
  join(runs);
  const found = runs.flatMap((run) => placeOf(text, sentence, run) ?? []).sort((one, other) => other.score - one.score);
  /** @type {Place[]} */
  const places = [];
  for (const place of found) {
    if (place.found < found[0].found - MARGIN * sentence.length) continue;
    if (places.some((other) => startOf(place) < endOf(other) && startOf(other) < endOf(place))) continue;
    places.push(place);
  }
  return places;
}

// How many letters beside a place are those of the passage, and how much of the passage is around it.
function likeness(text, place, before, after) {
  const [start, end] = [startOf(place), endOf(place)];
  const beside =
    common(text, before, start - 1, before.length - 1, -1, BESIDE) + common(text, after, end, 0, 1, BESIDE);
  const length = before.length + after.length;
  const around = shinglesIn(text.slice(Math.max(0, start - length), start), before);
  return { place, beside, score: beside + 2 * (around + shinglesIn(text.slice(end, end + length), after)) };
}

function shinglesIn(text, passage) {
  let count = 0;
  for (let at = 0; at + SHINGLE <= passage.length; at += SHINGLE / 2)
    if (text.includes(passage.slice(at, at + SHINGLE))) count += 1;
  return count;
}

/**
 * The place of a sentence in `text` that the passage around it, `before` and `after`, makes certain. A place that starts
 * `within` the first letters of the text wins over others.
 * @returns {Place | null}
 */
export function find(text, sentence, before = "", after = "", within = text.length) {
  const all = placesOf(text, sentence);
  const inside = all.filter((place) => startOf(place) < within);
  const [nearBefore, nearAfter] = [before.slice(-AROUND), after.slice(0, AROUND)];
  const places = (inside.length ? inside : all)
    .map((place) => likeness(text, place, nearBefore, nearAfter))
    .sort((one, other) => other.score - one.score || startOf(one.place) - startOf(other.place));
  const [best, next] = places;
  if (!best) return null;
  const rest = Math.min(BESIDE, before.length) + Math.min(BESIDE, after.length);
  const isShort = sentence.length < SHORT && (next ? best.beside : best.score) < Math.min(SHINGLE, rest);
  const isCertain = !next || best.score > next.score + LEAD || (rest > 0 && best.beside >= rest);
  return isCertain && !isShort ? best.place : null;
}
