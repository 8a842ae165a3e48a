// Finds sentences on the page and marks them without changing the page (CSS Custom Highlight API). Only letters and digits
// are compared, so line breaks, hyphenation, ligatures and the spans of a PDF's text layer make no difference.

const SHINGLE = 24;
const KEPT = /[\p{L}\p{N}]/u;

/** The letters and digits of `text`, in lower case and without accents, which may be characters of their own. */
export function letters(text) {
  // A final sigma is written only in a whole word.
  const folded = text.normalize("NFKD").toLowerCase().replaceAll("ς", "σ");
  return [...folded].filter((character) => KEPT.test(character)).join("");
}

/** The letters under `root` outside of `skipped` elements, each with its text node and its index in it. */
export function lettersOf(root, skipped = "") {
  const nodes = [];
  const places = [];
  let text = "";
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (skipped && node.parentElement.closest(skipped)) continue;
    const index = nodes.push(node) - 1;
    let offset = 0;
    for (const character of node.nodeValue) {
      const kept = letters(character);
      text += kept;
      for (let unit = 0; unit < kept.length; unit += 1) places.push(index, offset, offset + character.length);
      offset += character.length;
    }
  }
  return { text, nodes, places };
}

/** The range from one letter to another. */
export function rangeOf({ nodes, places }, start, end) {
  const range = document.createRange();
  range.setStart(nodes[places[3 * start]], places[3 * start + 1]);
  range.setEnd(nodes[places[3 * (end - 1)]], places[3 * (end - 1) + 2]);
  return range;
}

// The position of `sentence` in `text`: exact, or where most of its parts are close together.
function find(text, sentence) {
  const exact = text.indexOf(sentence);
  if (exact >= 0) return [exact, exact + sentence.length];
  let first = -1;
  let last = -1;
  for (let at = 0; at + SHINGLE <= sentence.length; at += SHINGLE / 2) {
    const found = text.indexOf(sentence.slice(at, at + SHINGLE), Math.max(first, 0));
    if (found < 0) continue;
    if (first < 0) first = found;
    if (found + SHINGLE - first <= 1.5 * sentence.length) last = Math.max(last, found + SHINGLE);
  }
  return last - first >= sentence.length / 2 ? [first, last] : null;
}

// The position of `sentence` in `text` closest to `at`.
function findNear(text, sentence, at) {
  const before = text.lastIndexOf(sentence, at);
  const after = text.indexOf(sentence, at);
  if (before < 0 && after < 0) return find(text, sentence);
  const isBefore = before >= 0 && (after < 0 || at - (before + sentence.length) <= after - at);
  const start = isBefore ? before : after;
  return [start, start + sentence.length];
}

/** The ranges of the lines of `claim` under `root`: of the first closest to the button `control`, the others after. */
export function nearestRanges(root, claim, control) {
  const [first, ...others] = claim.split("\n").map(letters).filter(Boolean);
  if (!first) return [];
  const shown = lettersOf(root, "button, .footnote-reference, [aria-hidden]");
  const isBefore = (node) => control.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_PRECEDING;
  const nodesBefore = shown.nodes.filter(isBefore).length;
  let at = 0;
  while (at < shown.text.length && shown.places[3 * at] < nodesBefore) at += 1;
  const found = [findNear(shown.text, first, at)].filter(Boolean);
  for (const line of found.length ? others : []) {
    const start = shown.text.indexOf(line, found.at(-1)[1]);
    if (start >= 0) found.push([start, start + line.length]);
  }
  return found.map((place) => rangeOf(shown, ...place));
}

/** Highlight the ranges under a name of the stylesheet; without ranges, remove the highlight. */
export function mark(name, ranges) {
  if (!globalThis.CSS?.highlights) return;
  if (ranges.length) CSS.highlights.set(name, new Highlight(...ranges));
  else CSS.highlights.delete(name);
}
