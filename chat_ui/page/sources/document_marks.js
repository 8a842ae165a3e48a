// Marks a passage in the text of its document. Loaded with the first document.

import { element } from "../shared/element.js";
import { SHINGLE, find, letters, lettersOf, mark, rangeOf } from "./passage_marks.js";

const BLOCKS = "p, li, tr, dt, dd, h1, h2, h3, h4, h5, h6, blockquote, pre, caption";
const ENDED = /[.!?…]['"\p{Pe}\p{Pf}]*\s|[。！？]|\n\s*\n/u;
// Abbreviations, not words such as `it` and units such as `kg`.
const SHORT = /(?:^|\P{L})(?:\p{Lu}?\p{L}|ca|cf|nr|pp|vs)$/u;
const STOPS = /^(?:['"\p{Pe}\p{Pf}]*[.!?…。！？]['"\p{Pe}\p{Pf}]*)?/u;
// Letters by which a mark is extended to the end of a sentence.
const LONGEST_REST = 300;

// The marked sentences and rows of a passage, else its text.
function sentencesOf(passage) {
  const groups = [];
  for (const one of passage.querySelectorAll("mark")) {
    const last = groups.at(-1);
    if (last && belongTogether(last.at(-1), one)) last.push(one);
    else groups.push([one]);
  }
  if (groups.length) return groups.map((group) => group.map((one) => one.textContent).join(" "));
  for (const button of passage.querySelectorAll("button")) button.remove();
  return [passage.textContent];
}

// Whether two successive marks are of one row, or of one sentence with formatting.
function belongTogether(one, other) {
  const between = document.createRange();
  between.setStartAfter(one);
  between.setEndBefore(other);
  const row = one.closest("tr");
  return row
    ? row === other.closest("tr")
    : !/\S|\n/.test(String(between)) && !/[.!?…。！？][^\p{L}\p{N}]*$/u.test(one.textContent);
}

// Whether a sentence or a block ends before the letter at `at`; not before a number, nor after an abbreviation.
function endsAt({ text, nodes, places }, at) {
  if (at >= text.length) return true;
  const [first, , from, last, to] = places.slice(3 * at - 3, 3 * at + 2);
  const between = nodes.slice(first, last + 1);
  const [before, after] = [between[0], between.at(-1)];
  if (before.parentElement.closest(BLOCKS) !== after.parentElement.closest(BLOCKS)) return true;
  const values = between.map((node) => (node === after ? node.nodeValue.slice(0, to) : node.nodeValue));
  if (SHORT.test(before.nodeValue.slice(Math.max(0, from - 3), from))) return false;
  return ENDED.test(values.join(" ").slice(from)) && !/^[\p{Ll}\d]/u.test(after.nodeValue.slice(to));
}

// The next end of a sentence from `at` on, else the last one after `start`, else `at`.
function sentenceEnd(shown, start, at) {
  for (let end = at; end <= Math.min(at + LONGEST_REST, shown.text.length); end += 1)
    if (endsAt(shown, end)) return end;
  for (let end = at - 1; end > start; end -= 1) if (endsAt(shown, end)) return end;
  return at;
}

// The start of the sentence at `at`, a few words before at most, else `at`.
function sentenceStart(shown, at) {
  for (let start = at; start >= Math.max(0, at - 2 * SHINGLE); start -= 1)
    if (!start || endsAt(shown, start)) return start;
  return at;
}

// The position of `sentence`, of which the end may be cut. A part of it goes on to the ends of sentences.
function placeOf(shown, sentence, isCut) {
  const found = find(shown.text, sentence);
  if (!found) return null;
  const [first, last] = found;
  const isExact = shown.text.slice(first, last) === sentence;
  const start = shown.text.startsWith(sentence.slice(0, SHINGLE), first) ? first : sentenceStart(shown, first);
  return [start, isExact && !isCut ? last : sentenceEnd(shown, first, last)];
}

/** The ranges of the sentences under `root`, with their stops. A sentence that ends with an ellipsis is cut. */
export function rangesOf(root, sentences) {
  const wanted = sentences
    .map((sentence) => [letters(sentence), sentence.trimEnd().endsWith("…")])
    .filter(([sentence]) => sentence.length > 3);
  if (!wanted.length) return [];
  const shown = lettersOf(root);
  return wanted
    .map(([sentence, isCut]) => placeOf(shown, sentence, isCut))
    .filter(Boolean)
    .map((place) => {
      const range = rangeOf(shown, ...place);
      const [stops] = range.endContainer.nodeValue.slice(range.endOffset).match(STOPS);
      range.setEnd(range.endContainer, range.endOffset + stops.length);
      return range;
    });
}

/** Mark the passage with this HTML in the text under `root`, and show the first mark; returns the number of marks. */
export function markPassage(scroller, root, passage) {
  const ranges = rangesOf(root, sentencesOf(element("div", { innerHTML: passage })));
  mark("passage", ranges);
  if (ranges.length) scrollTo(scroller, ranges[0]);
  return ranges.length;
}

// Scrolls a range into the middle of `scroller`.
function scrollTo(scroller, range) {
  const place = range.getBoundingClientRect();
  const view = scroller.getBoundingClientRect();
  scroller.scrollTop += place.top - view.top - (view.height - place.height) / 2;
}
