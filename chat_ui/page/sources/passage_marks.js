// Finds sentences on the page and marks them without changing the page (CSS Custom Highlight API). Only letters and digits
// are compared, so line breaks, hyphenation, ligatures and the spans of a PDF's text layer make no difference.

const SHINGLE = 24;
const KEPT = /[\p{L}\p{N}]/u;
const BLOCKS = "p, li, tr, dt, dd, h1, h2, h3, h4, h5, h6, blockquote, pre, caption";
const ENDED = /[.!?…]['"\p{Pe}\p{Pf}]*\s|[。！？]|\n\s*\n/u;
const SHORT = /(?:^|\P{L})\p{L}{1,2}$/u;
const STOPS = /^(?:[.!?…。！？]['"\p{Pe}\p{Pf}]*)?/u;
// Letters by which a mark is extended to the end of a sentence.
const LONGEST_REST = 300;

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

// The start of the sentence at `at`, at most `most` letters before, else `at`.
function sentenceStart(shown, at, most) {
  for (let start = at; start >= Math.max(0, at - most); start -= 1) if (!start || endsAt(shown, start)) return start;
  return at;
}

// The position of `sentence`, of which the end may be cut: exact, or where most of its parts are close together. Parts
// go on to the ends of sentences.
function find(shown, sentence, isCut = false) {
  const { text } = shown;
  const exact = text.indexOf(sentence);
  if (exact >= 0) {
    const end = exact + sentence.length;
    return [exact, isCut ? sentenceEnd(shown, exact, end) : end];
  }
  let first = -1;
  let last = -1;
  let skipped = 0;
  for (let at = 0; at + SHINGLE <= sentence.length; at += SHINGLE / 2) {
    const found = text.indexOf(sentence.slice(at, at + SHINGLE), Math.max(first, 0));
    if (found < 0) continue;
    if (first < 0) [first, skipped] = [found, at];
    if (found + SHINGLE - first <= 1.5 * sentence.length) last = Math.max(last, found + SHINGLE);
  }
  if (last - first < sentence.length / 2) return null;
  return [sentenceStart(shown, first, 2 * skipped), sentenceEnd(shown, first, last)];
}

/** The ranges of the sentences under `root`, with their stops. A sentence that ends with an ellipsis is cut. */
export function rangesOf(root, sentences) {
  const wanted = sentences
    .map((sentence) => [letters(sentence), sentence.trimEnd().endsWith("…")])
    .filter(([sentence]) => sentence.length > 3);
  if (!wanted.length) return [];
  const shown = lettersOf(root);
  return wanted
    .map(([sentence, isCut]) => find(shown, sentence, isCut))
    .filter(Boolean)
    .map((found) => {
      const range = rangeOf(shown, ...found);
      const [stops] = range.endContainer.nodeValue.slice(range.endOffset).match(STOPS);
      range.setEnd(range.endContainer, range.endOffset + stops.length);
      return range;
    });
}

// The position of `sentence` closest to `at`.
function findNear(shown, sentence, at) {
  const before = shown.text.lastIndexOf(sentence, at);
  const after = shown.text.indexOf(sentence, at);
  if (before < 0 && after < 0) return find(shown, sentence);
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
  const found = [findNear(shown, first, at)].filter(Boolean);
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

/** Scroll a range into the middle of `scroller`. */
export function scrollTo(scroller, range) {
  const place = range.getBoundingClientRect();
  const view = scroller.getBoundingClientRect();
  scroller.scrollTop += place.top - view.top - (view.height - place.height) / 2;
}
