// The spoken text of an answer: its words, in a piece for each block. Controls are left out; code, tables and citations are
// named as such, formulas are read in words. What the page says of them is in the page's language wherever it stands.

import { t, tn } from "../languages/language.js";
import { needed } from "../shared/loading.js";
import { isSame, languageAround, pageLanguage } from "./languages.js";

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

// `Intl.ListFormat` has lists alone that have an “and” before their last, or no commas in Chinese.
const COMMAS = { Arab: "، ", Hans: "、", Hant: "、", Jpan: "、" };
const commaOf = (lang) => COMMAS[new Intl.Locale(lang).maximize().script] ?? ", ";

/** @typedef {{ words: string, lang: string }} Run words in one language */

// What is said in one go, white space as one space each.
class Piece {
  /** @type {Run[]} */
  runs = [];

  get words() {
    return this.runs.map(({ words }) => words).join("");
  }

  add(words, lang) {
    const last = this.runs.at(-1);
    const spaced = words.replace(/\s+/g, " ");
    const added = !last || last.words.endsWith(" ") ? spaced.trimStart() : spaced;
    if (last?.lang === lang) last.words += added;
    else if (added) this.runs.push({ words: added, lang });
  }

  addAll(piece) {
    for (const { words, lang } of piece.runs) this.add(words, lang);
  }

  trimEnd() {
    const last = this.runs.at(-1);
    if (!last) return;
    last.words = last.words.trimEnd();
    if (!last.words) this.runs.pop();
  }
}

class Pieces {
  /** @type {Piece[]} */
  found = [];
  /**
   * @param {boolean} cites - whether the numbers of citations and footnotes are read
   * @param {string} lang - the language of the answer here
   */
  constructor(cites, lang) {
    this.cites = cites;
    this.lang = lang;
    this.langOfPage = isSame(lang, pageLanguage()) ? lang : pageLanguage();
  }
  current = new Piece();
  // A prefix of the next words, such as the number of their item.
  leading = new Piece();
  isAfterCitation = false;
  isAfterOmission = false;

  add(words, lang = this.lang) {
    if (this.isAfterOmission && AFTER_OMISSION.test(words)) this.current.trimEnd();
    this.isAfterOmission &&= !words.trim();
    if (this.isAfterCitation && AFTER_CITATION.test(words)) this.current.add(" ", this.lang);
    this.current.add(words, lang);
    this.isAfterCitation &&= !words.trim();
  }

  // Something that is seen and not read.
  omit() {
    this.isAfterOmission = true;
  }

  // An element that is a word of its own wherever it stands: the page's words, with some of the answer in between.
  cite(before, inAnswer = "", after = "") {
    if (this.isAfterCitation) {
      this.current.trimEnd();
      this.current.add(commaOf(this.langOfPage), this.langOfPage);
    } else if (BEFORE_CITATION.test(this.current.words)) this.current.add(" ", this.lang);
    this.current.add(before, this.langOfPage);
    this.current.add(inAnswer, this.lang);
    this.current.add(after, this.langOfPage);
    this.isAfterCitation = true;
  }

  end() {
    this.current.trimEnd();
    if (this.current.runs.length > 0) {
      this.leading.addAll(this.current);
      this.found.push(this.leading);
      this.leading = new Piece();
    }
    this.current = new Piece();
    this.isAfterCitation = false;
  }

  // A piece of the page's words.
  tell(words) {
    this.end();
    this.current.add(words, this.langOfPage);
    this.end();
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

const symbols = (formula) =>
  Array.from(formula.querySelectorAll("mi, mn, mo, ms, mtext"), (symbol) => symbol.textContent).join(" ");

let formulaWords = symbols;

/** Load what reads the formulas under `root`, if there are any; without it their symbols are read one by one. */
export async function loadFormulas(root) {
  if (formulaWords !== symbols || !root.querySelector("math")) return;
  const loaded = await needed(() => import("./formulas.js"));
  if (loaded) formulaWords = loaded.formulaWords;
}

const columnsOf = (table) => tn("one column", "{count} columns", table.rows[0]?.cells.length ?? 0);
const bodyOf = (table) => [...table.rows].filter((row) => row.parentElement.nodeName !== "THEAD");

function readTable(table, pieces) {
  const count = bodyOf(table).length;
  pieces.tell(tn("table, {columns}, one row", "table, {columns}, {count} rows", count, { columns: columnsOf(table) }));
  if (count <= MOST_ROWS) {
    read(table, pieces);
    return;
  }
  if (table.tHead) read(table.tHead, pieces);
  pieces.tell(t("The rows are in the answer."));
}

function readRow(row, pieces) {
  pieces.end();
  for (const cell of row.cells) {
    if (cell.previousElementSibling) pieces.current.add(commaOf(pieces.lang), pieces.lang);
    const found = piecesIn(cell, pieces.cites, pieces.lang);
    if (found.length === 0) pieces.current.add(t("blank"), pieces.langOfPage);
    for (const piece of found) {
      if (piece !== found[0]) pieces.current.add(" ", pieces.lang);
      pieces.current.addAll(piece);
    }
  }
  pieces.end();
}

function readImage({ alt }, pieces) {
  if (!alt) {
    pieces.cite(t("image"));
    return;
  }
  const [before, after] = t("image {description}", { description: "\n" }).split("\n");
  pieces.cite(before, alt, after);
}

function readFormula(formula, pieces) {
  pieces.add(formulaWords(formula), formulaWords === symbols ? pieces.lang : pieces.langOfPage);
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
    pieces.leading = new Piece();
    pieces.leading.add(`${label} `, pieces.langOfPage);
  } else if (element.matches(CONTROLS)) return;
  else if (classList.contains("code-block")) pieces.tell(codeWords(element));
  else if (nodeName === "TABLE") readTable(element, pieces);
  else if (nodeName === "TR") readRow(element, pieces);
  else if (nodeName === "BR") pieces.end();
  else if (nodeName === "IMG") readImage(element, pieces);
  else if (nodeName === "INPUT") pieces.leading.add(`${element.getAttribute("aria-label")}: `, pieces.langOfPage);
  else if (nodeName.toLowerCase() === "math") readFormula(element, pieces);
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
    pieces.leading = new Piece();
    pieces.leading.add(leading, pieces.lang);
    readElement(element, pieces);
    pieces.leading = new Piece();
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

function piecesIn(element, cites, lang) {
  const pieces = new Pieces(cites, lang);
  read(element, pieces);
  pieces.end();
  return pieces.found;
}

/**
 * The pieces of an element, with the numbers of their citations if it `cites`.
 * @returns {Piece[]}
 */
export const piecesOf = (element, { cites = true } = {}) => piecesIn(element, cites, languageAround(element));

const SAID = /[\p{L}\p{N}]/u;

// The runs of a piece between two places in its words. What is no word goes with the words beside it.
function runsBetween({ runs }, start, end) {
  /** @type {Run[]} */
  const found = [];
  let at = 0;
  for (const { words, lang } of runs) {
    const cut = words.slice(Math.max(start - at, 0), Math.max(end - at, 0));
    at += words.length;
    const last = found.at(-1);
    if (!cut) continue;
    if (!last) found.push({ words: cut, lang });
    else if (lang === last.lang || !SAID.test(cut)) last.words += cut;
    else if (!SAID.test(last.words)) found[0] = { words: last.words + cut, lang };
    else found.push({ words: cut, lang });
  }
  return found;
}

/**
 * Parts of the words of a piece, which stand there one after another `from` a place on, each in its runs.
 * @param {Piece} piece
 * @param {string[]} parts
 * @returns {Run[][]}
 */
export function inRuns(piece, parts, from = 0) {
  const { words } = piece;
  let at = from;
  return parts.map((part) => {
    const start = words.indexOf(part, at);
    at = start + part.length;
    return runsBetween(piece, start, at);
  });
}
