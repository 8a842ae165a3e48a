// Marks a passage in the text of its document. Loaded with the first document.

import { element } from "../shared/element.js";
import { SHORT as FEW, find } from "./finding.js";
import { letters, lettersOf, mark, rangeOf } from "./passage_marks.js";
import { textNotes } from "./passage_note.jsx";

const BLOCKS = "p, li, tr, dt, dd, h1, h2, h3, h4, h5, h6, blockquote, pre, caption";
const ENDED = /[.!?…]['"\p{Pe}\p{Pf}]*\s|[。！？]|\n\s*\n/u;
// Abbreviations, not words such as `it` and units such as `kg`.
const SHORT = /(?:^|\P{L})(?:\p{Lu}?\p{L}|ca|cf|nr|pp|vs)$/u;
// Accents and vowel signs of the last letter, and stops after a sentence, or a hyphen at the end of a line.
const STOPS = /^\p{M}*(?:['"\p{Pe}\p{Pf}]*[.!?…。！？।؟۔]['"\p{Pe}\p{Pf}]*|\p{Pd}\s*$)?/u;
// A number, or letters of a word, at the edge of a sentence and beside it.
const IN_NUMBER = /^\p{N}[.,]?\p{N}$/u;
const IN_WORD = /^[\p{Lu}\p{Ll}\p{N}]{2}$/u;
// Letters by which a mark is extended to the end and to the start of a sentence.
const LONGEST_REST = 300;
const LONGEST_START = 48;
// Pixels around a mark in view.
const MARGIN = 16;

// The marked sentences and rows of a passage, else its text, with the letters before and after each.
function sentencesOf(html) {
  const passage = element("div", { innerHTML: html });
  for (const button of passage.querySelectorAll("button")) button.remove();
  const groups = [];
  for (const one of passage.querySelectorAll("mark")) {
    const last = groups.at(-1);
    if (last && belongTogether(last.at(-1), one)) last.push(one);
    else groups.push([one]);
  }
  if (!groups.length) groups.push([passage]);
  return groups
    .map((group) => {
      const [before, after] = [document.createRange(), document.createRange()];
      before.selectNodeContents(passage);
      after.selectNodeContents(passage);
      if (group[0] === passage) for (const range of [before, after]) range.collapse();
      else {
        before.setEndBefore(group[0]);
        after.setStartAfter(group.at(-1));
      }
      const text = group.map((one) => one.textContent).join(" ");
      return {
        sentence: letters(text),
        isCut: text.trimEnd().endsWith("…"),
        before: letters(String(before)),
        after: letters(String(after)),
      };
    })
    .filter(({ sentence }) => sentence.length > 3);
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
  for (let start = at; start >= Math.max(0, at - LONGEST_START); start -= 1)
    if (!start || endsAt(shown, start)) return start;
  return at;
}

// Moves letters that both end a part and precede the next one to the next one, if the part then ends a line.
function cutAtLines({ text, places }, parts) {
  for (const [index, next] of parts.slice(1).entries()) {
    const part = parts[index];
    const isInLine = (end) => places[3 * end] === places[3 * (end - 1)];
    let by = 0;
    while (isInLine(part[1] - by) && text[part[1] - by - 1] === text[next[0] - by - 1]) by += 1;
    if (by >= part[1] - part[0] || isInLine(part[1] - by)) continue;
    part[1] -= by;
    next[0] -= by;
  }
}

// Whether a number goes on at both sides of a place between letters, or a word around a short sentence.
function isWithin({ text, nodes, places }, at, isShort) {
  if (!at || at >= text.length) return false;
  const [first, start, , last, , end] = places.slice(3 * at - 3, 3 * at + 3);
  const around = first === last ? nodes[first].nodeValue.slice(start, end) : "";
  return IN_NUMBER.test(around) || (isShort && IN_WORD.test(around));
}

/**
 * The parts of a passage with this HTML among the `shown` letters, as [start, end]; null without a passage. A
 * part of a sentence goes on to the ends of sentences. A place `within` the first letters wins over others.
 * @returns {[number, number][] | null}
 */
export function partsOf(shown, html, within = shown.text.length) {
  if (!html) return null;
  return sentencesOf(html).flatMap(({ sentence, isCut, before, after }) => {
    const place = find(shown.text, sentence, before, after, within);
    if (!place) return [];
    const [first, last] = [place.parts[0], place.parts.at(-1)];
    if ([first[0], last[1]].some((at) => isWithin(shown, at, sentence.length < FEW))) return [];
    if (place.from) first[0] = sentenceStart(shown, first[0]);
    cutAtLines(shown, place.parts);
    if (isCut || place.to < sentence.length) last[1] = sentenceEnd(shown, last[0], last[1]);
    return place.parts;
  });
}

/** The range of a part, with the stops after it. */
export function rangeOfPart(shown, part) {
  const range = rangeOf(shown, ...part);
  const [stops] = range.endContainer.nodeValue.slice(range.endOffset).match(STOPS);
  range.setEnd(range.endContainer, range.endOffset + stops.length);
  return range;
}

/** The ranges of a passage with this HTML under `root`; null without a passage. */
export function rangesOf(root, html) {
  const shown = lettersOf(root);
  return partsOf(shown, html)?.map((part) => rangeOfPart(shown, part)) ?? null;
}

/** Mark the passage with this HTML in the text under `scroller`, and show the first mark; returns the notes. */
export function markPassage(scroller, html) {
  const ranges = rangesOf(scroller, html);
  mark("passage", ranges ?? []);
  scroller.dataset.marks = String(ranges?.length ?? 0);
  if (ranges?.length) scrollTo(scroller, ranges[0].getBoundingClientRect());
  return { notes: () => textNotes(ranges?.length) };
}

/** Scroll a box into the middle of `scroller`, or its start if it is larger. */
export function scrollTo(scroller, box) {
  const view = scroller.getBoundingClientRect();
  scroller.scrollTop += box.top - view.top - Math.max(MARGIN, (view.height - box.height) / 2);
  if (box.left < view.left || box.right > view.right) scroller.scrollLeft += box.left - view.left - MARGIN;
}
