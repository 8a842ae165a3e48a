// Marks the claim of a citation, as found by the server, in the answer on the page.

import { mark, nearestRanges } from "./passage_marks.js";

/**
 * Make `element` the active one under `root`, instead of the `others` there.
 * @param {ParentNode} root
 */
export function activate(root, others, element) {
  for (const one of root.querySelectorAll(others)) {
    one.removeAttribute("data-active");
    one.removeAttribute("aria-current");
  }
  element?.setAttribute("data-active", "");
  element?.setAttribute("aria-current", "true");
}

/**
 * Mark a citation, if any, and its `claim` once known.
 * @param {HTMLElement | null | undefined} citation
 * @returns {Range | HTMLElement | null | undefined} the beginning of what is marked
 */
export function markCitation(citation, claim = "") {
  const answer = citation?.closest(".answer-text");
  document.querySelector(".has-claim")?.classList.remove("has-claim");
  answer?.classList.add("has-claim");
  const ranges = answer ? nearestRanges(answer, claim, citation) : [];
  mark("claim", ranges);
  activate(document, ".citation[data-active]", citation);
  return ranges[0] ?? citation;
}

/** Mark citation number `use` of the answer at `address`, like `markCitation`; without a number, only clear marks. */
export function markClaim(address, use, claim = "") {
  const answer = document.querySelector(`.answer-text[data-address="${CSS.escape(address)}"]`);
  return markCitation(answer?.querySelector(`[data-use="${use}"]`), claim);
}
