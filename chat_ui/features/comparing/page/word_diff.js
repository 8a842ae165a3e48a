// The differences of two texts by words, as the rules of their language divide them.

import { diffWords } from "diff";

// Milliseconds that it may take, and the differences between two texts after which they have nothing in common.
const LONGEST = 2000;
const MOST = 20_000;
const MOST_CHARACTERS = 200_000;

/** @typedef {{ kind: "left" | "right" | "both", text: string }} Part */

/**
 * The parts of both texts in order; null where that would take too long. The page goes on meanwhile.
 * @param {string} left
 * @param {string} right
 * @param {string} language
 * @returns {Promise<Part[] | null>}
 */
export function wordDiff(left, right, language) {
  if (left.length + right.length > MOST_CHARACTERS) return Promise.resolve(null);
  const intlSegmenter = Intl.Segmenter ? new Intl.Segmenter(language, { granularity: "word" }) : undefined;
  return new Promise((resolve) => {
    diffWords(left, right, {
      intlSegmenter,
      timeout: LONGEST,
      maxEditLength: MOST,
      callback: (changes) =>
        resolve(
          changes?.map(({ added, removed, value }) => ({
            kind: added ? "right" : removed ? "left" : "both",
            text: value,
          })) ?? null,
        ),
    });
  });
}
