// Finds sentences on the page and marks them without changing the page (CSS Custom Highlight API). Only letters and digits
// are compared, so line breaks, hyphenation, ligatures and the spans of a PDF's text layer make no difference.

const SHINGLE = 24;
const KEPT = /[\p{L}\p{N}]/u;

function letters(text) {
  return [...text.normalize("NFKC").toLowerCase()].filter((character) => KEPT.test(character)).join("");
}

// The letters under `root` outside of `skipped` elements, each with its text node and its index in it.
function lettersOf(root, skipped = "") {
  const nodes = [];
  const places = [];
  let text = "";
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (skipped && node.parentElement.closest(skipped)) continue;
    const index = nodes.push(node) - 1;
    let offset = 0;
    for (const character of node.nodeValue) {
      for (const letter of letters(character)) {
        text += letter;
        places.push(index, offset, offset + character.length);
      }
      offset += character.length;
    }
  }
  return { text, nodes, places };
}

function rangeOf({ nodes, places }, start, end) {
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

/** The ranges of the sentences under `root`. */
export function rangesOf(root, sentences) {
  const wanted = sentences.map(letters).filter((sentence) => sentence.length > 3);
  if (!wanted.length) return [];
  const shown = lettersOf(root);
  return wanted
    .map((sentence) => find(shown.text, sentence))
    .filter(Boolean)
    .map(([start, end]) => rangeOf(shown, start, end));
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

/** The range of `sentence` under `root` closest to the button `control`, or null. */
export function nearestRange(root, sentence, control) {
  const wanted = letters(sentence);
  if (!wanted) return null;
  const shown = lettersOf(root, "button, .footnote-reference, [aria-hidden]");
  const isBefore = (node) => control.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_PRECEDING;
  const nodesBefore = shown.nodes.filter(isBefore).length;
  let at = 0;
  while (at < shown.text.length && shown.places[3 * at] < nodesBefore) at += 1;
  const found = findNear(shown.text, wanted, at);
  return found && rangeOf(shown, ...found);
}

/** Highlight the ranges under a name of the stylesheet; without ranges, remove the highlight. */
export function mark(name, ranges) {
  if (!globalThis.CSS?.highlights) return;
  if (ranges.length) CSS.highlights.set(name, new Highlight(...ranges));
  else CSS.highlights.delete(name);
}

/** Scroll a range into the middle of `scroller`. */
export function scrollTo(scroller, range) {
  const place = range.getBoundingClientRect();
  const view = scroller.getBoundingClientRect();
  scroller.scrollTop += place.top - view.top - (view.height - place.height) / 2;
}
