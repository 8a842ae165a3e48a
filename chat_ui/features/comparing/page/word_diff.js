// The differences of two texts by words, segmented by the rules of their language.

import { diffWords } from "diff";

// Maximum milliseconds, and maximum differences between two texts before they count as unrelated.
const LONGEST = 2000;
const MOST = 20_000;
const MOST_CHARACTERS = 200_000;

/** @typedef {{ kind: "left" | "right" | "both", text: string }} Part */

/**
 * The parts of both texts in order; null if that takes too long. The page stays responsive.
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
