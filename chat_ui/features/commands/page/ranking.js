// The order in which what is typed finds things: whole words before their beginnings, those before parts and initials, and
// letters with others between them last.

import { matchSorter, rankings } from "match-sorter";

// Marks over and under the letters of Latin, Greek, Cyrillic, Hebrew and Arabic: people leave them out as they type. The
// marks of Japanese and Indic scripts make other letters.
const MARKS = /[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0640]/g;
// Most letters that may stand between two that were typed.
const BETWEEN = 2;

/** Text without case, marks, and forms of different width. */
export const folded = (text) => text.normalize("NFKD").replace(MARKS, "").normalize("NFKC").toLowerCase().trim();

// Whether the letters of a word follow each other in the text, with a few others between two of them at most.
function isClose(text, word) {
  const letters = Array.from(text);
  const [first, ...others] = word;
  let places = new Set([...letters.keys()].filter((at) => letters[at] === first));
  for (const letter of others) {
    const next = new Set();
    for (const at of places)
      for (let to = at + 1; to <= at + 1 + BETWEEN; to += 1) if (letters[to] === letter) next.add(to);
    places = next;
  }
  return places.size > 0;
}

/** @typedef {{ label: string, hints?: string }} Item */

/** @type {import("match-sorter").KeyOption<Item>[]} */
const KEYS = [
  ({ label }) => folded(label),
  { key: ({ hints = "" }) => folded(hints), threshold: rankings.CONTAINS, maxRanking: rankings.CONTAINS },
];

// The rank of each of the items that a word finds.
function ranksOf(items, word) {
  const ranks = new Map();
  matchSorter(items, word, {
    keys: KEYS,
    sorter: (found) => {
      for (const { item, rank, rankedValue } of found)
        if (rank >= rankings.ACRONYM || isClose(rankedValue, word)) ranks.set(item, rank);
      return found;
    },
  });
  return ranks;
}

/** The items that `typed` finds by their `label` and their `hints`, all of its words in any order, the best first. */
export function ranked(items, typed) {
  const complete = ranksOf(items, folded(typed));
  const words = folded(typed).split(/\s+/);
  const byWord = words.length > 1 ? words.map((word) => ranksOf(items, word)) : [];
  const rankOf = (item) =>
    complete.get(item) ?? Math.min(...byWord.map((ranks) => ranks.get(item) ?? 0), rankings.CONTAINS);
  const found = items.filter((item) => complete.has(item) || (byWord.length > 0 && rankOf(item) > 0));
  return found.sort((one, other) => rankOf(other) - rankOf(one));
}
