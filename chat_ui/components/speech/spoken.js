// The spoken text of an answer: its words, in a piece for each block. Controls are left out; code, tables and citations are
// named as such, formulas are read in words.

import { t, tn } from "../languages/language.js";
import "../languages/later.js";

const CONTROLS = "button, .code-header, [aria-hidden=true]";
const PIECES = new Set(
  "P H1 H2 H3 H4 H5 H6 UL OL LI BLOCKQUOTE DL DT DD DIV PRE HR TABLE CAPTION DETAILS SUMMARY FIGURE FIGCAPTION".split(
    " ",
  ),
);
const AFTER_CITATION = /^[\p{L}\p{N}\p{Ps}\p{Pi}]/u;
const AFTER_OMISSION = /^[\p{Pe}\p{Pf}\p{Po}]/u;
const BEFORE_CITATION = /[^\s\p{Ps}\p{Pi}]$/u;

// A live region cannot be moved in: of more rows than these, a listener gets more from the table itself.
const MOST_ROWS = 20;

/** @typedef {{ words: string, isOfPage?: boolean }} Piece words of the answer, or of the page about it */

class Pieces {
  /** @type {Piece[]} */
  found = [];
  /** @param {boolean} cites - whether the numbers of citations and footnotes are read */
  constructor(cites) {
    this.cites = cites;
  }
  words = "";
  // A prefix of the next words, such as the number of their item.
  leading = "";
  isAfterCitation = false;
  isAfterOmission = false;

  add(words) {
    if (this.isAfterOmission && AFTER_OMISSION.test(words)) this.words = this.words.trimEnd();
    this.isAfterOmission &&= !words.trim();
    if (this.isAfterCitation && AFTER_CITATION.test(words)) this.words += " ";
    this.words += words;
    this.isAfterCitation &&= !words.trim();
  }

  // Something that is seen and not read.
  omit() {
    this.isAfterOmission = true;
  }

  // An element that is a word of its own wherever it stands.
  cite(words) {
    if (this.isAfterCitation) this.words = `${this.words.trimEnd()}, `;
    else if (BEFORE_CITATION.test(this.words)) this.words += " ";
    this.words += words;
    this.isAfterCitation = true;
  }

  end(isOfPage = false) {
    const words = this.words.replace(/\s+/g, " ").trim();
    if (words) {
      this.found.push({ words: this.leading + words, isOfPage });
      this.leading = "";
    }
    this.words = "";
    this.isAfterCitation = false;
  }

  whole(words, isOfPage = false) {
    this.end();
    this.words = words;
    this.end(isOfPage);
  }
}

const UNNAMED_LANGUAGE = "text";

function codeWords(block) {
  const language = block.querySelector(".code-language").textContent;
  const lines = block.querySelector("code").textContent.replace(/\n$/, "").split("\n").length;
  return language === UNNAMED_LANGUAGE
    ? tn("code, one line", "code, {count} lines", lines)
    : tn("code, {language}, one line", "code, {language}, {count} lines", lines, { language });
}

const wordsOf = (element, cites) =>
  piecesOf(element, { cites })
    .map(({ words }) => words)
    .join(" ");

const cellWords = (cell, cites) =>
  (cell.firstElementChild ? wordsOf(cell, cites) : cell.textContent.trim()) || t("blank");

const symbols = (formula) =>
  Array.from(formula.querySelectorAll("mi, mn, mo, ms, mtext"), (symbol) => symbol.textContent).join(" ");

let formulaWords = symbols;

/** Load what reads the formulas under `root`, if there are any; without it their symbols are read one by one. */
export async function loadFormulas(root) {
  if (formulaWords !== symbols || !root.querySelector("math")) return;
  const loaded = await import("./formulas.js").catch(() => null);
  if (loaded) formulaWords = loaded.formulaWords;
}

const columnsOf = (table) => tn("one column", "{count} columns", table.rows[0]?.cells.length ?? 0);
const bodyOf = (table) => [...table.rows].filter((row) => row.parentElement.nodeName !== "THEAD");

function readTable(table, pieces) {
  const count = bodyOf(table).length;
  pieces.whole(
    tn("table, {columns}, one row", "table, {columns}, {count} rows", count, { columns: columnsOf(table) }),
    true,
  );
  if (count <= MOST_ROWS) {
    read(table, pieces);
    return;
  }
  if (table.tHead) read(table.tHead, pieces);
  pieces.whole(t("The rows are in the answer."), true);
}

function readElement(element, pieces) {
  const { nodeName, classList } = element;
  if (classList.contains("citation")) {
    const number = element.dataset.citation;
    const isMissing = classList.contains("citation-missing");
    if (pieces.cites)
      pieces.cite(isMissing ? t("source {number} (not found)", { number }) : t("source {number}", { number }));
    else pieces.omit();
  } else if (classList.contains("footnote-reference")) {
    if (pieces.cites) pieces.cite(t("footnote {number}", { number: element.textContent }));
    else pieces.omit();
  } else if (classList.contains("footnote-label")) {
    const label = t("Footnote {number}:", { number: element.textContent });
    pieces.leading = `${label} `;
  } else if (element.matches(CONTROLS)) return;
  else if (classList.contains("code-block")) pieces.whole(codeWords(element), true);
  else if (nodeName === "TABLE") readTable(element, pieces);
  else if (nodeName === "TR") pieces.whole([...element.cells].map((cell) => cellWords(cell, pieces.cites)).join(", "));
  else if (nodeName === "BR") pieces.end();
  else if (nodeName === "IMG")
    pieces.cite(element.alt ? t("image {description}", { description: element.alt }) : t("image"));
  else if (nodeName === "INPUT") pieces.leading += `${element.getAttribute("aria-label")}: `;
  else if (nodeName.toLowerCase() === "math") pieces.add(formulaWords(element));
  else if (PIECES.has(nodeName)) {
    pieces.end();
    read(element, pieces);
    pieces.end();
  } else read(element, pieces);
}

// The pieces of rows and items that are complete: of a long block that grows only the end is read again.
const ended = new WeakMap();
const endedUncited = new WeakMap();

function readRepeated(element, pieces, leading) {
  pieces.end();
  const known = pieces.cites ? ended : endedUncited;
  if (!known.has(element)) {
    const start = pieces.found.length;
    pieces.leading = leading;
    readElement(element, pieces);
    pieces.leading = "";
    if (!element.nextElementSibling) return;
    known.set(element, pieces.found.splice(start));
  }
  pieces.found.push(...known.get(element));
}

function read(parent, pieces) {
  let number = parent.nodeName === "OL" ? parent.start : 0;
  for (const node of parent.childNodes) {
    if (node.nodeType === Node.TEXT_NODE) pieces.add(node.data);
    else if (node.nodeName === "LI") readRepeated(node, pieces, number ? `${number++}. ` : "");
    else if (node.nodeName === "TR") readRepeated(node, pieces, "");
    else if (node.nodeType === Node.ELEMENT_NODE) readElement(node, pieces);
  }
}

/**
 * The pieces of an element, with the numbers of their citations if it `cites`.
 * @returns {Piece[]}
 */
export function piecesOf(element, { cites = true } = {}) {
  const pieces = new Pieces(cites);
  read(element, pieces);
  pieces.end();
  return pieces.found;
}
