// The sentence that a citation closes, in the answer as it stands on the page.

import { mark } from "./passage_marks.js";

const BLOCK = "p, li, td, th, h3, h4, h5, h6, dd, dt, blockquote, summary, .block";
const SENTENCE_END = /[.!?…]["'”’)\]]*\s+|[。！？][”』」）]*\s*/g;

/** Every citation of the answer served at `address`, in the order of the text. */
export function citationsOf(address) {
  const answer = document.querySelector(`.answer-text[data-address="${CSS.escape(address)}"]`);
  return [...(answer?.querySelectorAll("[data-use]") ?? [])];
}

function textBefore(citation) {
  const block = citation.closest(BLOCK);
  const nodes = [];
  let text = "";
  const walker = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (citation.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING || citation.contains(node)) break;
    if (node.parentElement.closest("button, [aria-hidden]")) continue;
    nodes.push([node, text.length]);
    text += node.data;
  }
  return { nodes, text };
}

function claimOf(citation) {
  const { nodes, text } = textBefore(citation);
  const length = text.trimEnd().length;
  let start = text.length - text.trimStart().length;
  for (const end of text.slice(0, length).matchAll(SENTENCE_END)) start = Math.max(start, end.index + end[0].length);
  if (start >= length) return [];
  const place = (at) => {
    const [node, from] = nodes.findLast(([, offset]) => offset <= at);
    return [node, at - from];
  };
  const range = document.createRange();
  range.setStart(...place(start));
  const [node, offset] = place(length - 1);
  range.setEnd(node, offset + 1);
  return [range];
}

/** Mark the sentence that citation number `use` of an answer closes, and that citation; nothing without a number. */
export function markClaim(address, use) {
  for (const marked of document.querySelectorAll(".citation[data-active]")) {
    marked.removeAttribute("data-active");
    marked.removeAttribute("aria-current");
  }
  const citation = use === null ? null : citationsOf(address)[use];
  document.querySelector(".has-claim")?.classList.remove("has-claim");
  citation?.closest(".answer-text").classList.add("has-claim");
  mark("claim", citation ? claimOf(citation) : []);
  citation?.setAttribute("data-active", "");
  citation?.setAttribute("aria-current", "true");
}
