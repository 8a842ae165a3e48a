// The ranking of search results: whole words before prefixes, those before substrings and initials, and scattered
// letters last.

import { matchSorter, rankings } from "match-sorter";

// Diacritics of Latin, Greek, Cyrillic, Hebrew and Arabic, which people omit in searches. In Japanese and Indic
// scripts, marks make other letters.
const MARKS = /[\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u0640]/g;
// Maximum letters between two typed ones.
const BETWEEN = 2;

/** Text without case, diacritics, and width variants. */
export const folded = (text) => text.normalize("NFKD").replace(MARKS, "").normalize("NFKC").toLowerCase().trim();

// Whether the letters of a word follow each other in the text, with few others between.
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

// The ranks of the items that match a word.
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

/** The items that match all words of `typed` in any order by their `label` and `hints`, best first. */
export function ranked(items, typed) {
  const complete = ranksOf(items, folded(typed));
  const words = folded(typed).split(/\s+/);
  const byWord = words.length > 1 ? words.map((word) => ranksOf(items, word)) : [];
  const rankOf = (item) =>
    complete.get(item) ?? Math.min(...byWord.map((ranks) => ranks.get(item) ?? 0), rankings.CONTAINS);
  const found = items.filter((item) => complete.has(item) || (byWord.length > 0 && rankOf(item) > 0));
  return found.sort((one, other) => rankOf(other) - rankOf(one));
}
