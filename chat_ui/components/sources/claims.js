// Marking the claim of a citation, which the server finds, in the answer on the page.

import { mark, nearestRange } from "./passage_marks.js";

/** Every citation of the answer served at `address`, in the order of the text. */
export function citationsOf(address) {
  const answer = document.querySelector(`.answer-text[data-address="${CSS.escape(address)}"]`);
  return /** @type {HTMLElement[]} */ ([...(answer?.querySelectorAll("[data-use]") ?? [])]);
}

/**
 * Mark citation number `use` of an answer, and its `claim` once that is known; without a number, nothing.
 * @returns {Range | HTMLElement | undefined} what is marked
 */
export function markClaim(address, use, claim = "") {
  for (const marked of document.querySelectorAll(".citation[data-active]")) {
    marked.removeAttribute("data-active");
    marked.removeAttribute("aria-current");
  }
  const citation = citationsOf(address).find((one) => one.dataset.use === String(use));
  const answer = citation?.closest(".answer-text");
  document.querySelector(".has-claim")?.classList.remove("has-claim");
  answer?.classList.add("has-claim");
  const range = answer && nearestRange(answer, claim, citation);
  mark("claim", range ? [range] : []);
  citation?.setAttribute("data-active", "");
  citation?.setAttribute("aria-current", "true");
  return range ?? citation;
}
