// The text of an answer for listeners: without controls and citations, and only the length of code.

import { t, tn } from "../languages/language.js";

const SILENT = "button, .code-header, .footnote-reference, .footnote-label, [aria-hidden=true]";
const LINE =
  "p, h1, h2, h3, h4, h5, h6, ul, ol, li, blockquote, dl, dt, dd, div, pre, tr, caption, details, summary, figure, figcaption";
const LINE_END = "\n";
const BEFORE_PUNCTUATION = /\s+(?=[\p{Pe}\p{Pf}.,;:!?…])/gu;
// A listener cannot skip rows: a screen reader's commands for tables can.
const MOST_ROWS = 20;

const sentences = new Intl.Segmenter(undefined, { granularity: "sentence" });

// Voices, recognizers and pages differ in the names of some languages.
const SAME = { nb: "no", nn: "no", cmn: "zh", iw: "he" };

function named(tag) {
  const name = tag.toLowerCase().split(/[-_]/)[0];
  return SAME[name] ?? name;
}

/** Whether two tags are of the same language, in any script and region. */
export const isSame = (one, other) => named(one) === named(other);

const codeWords = (block) => {
  const lines = block.querySelector("code").textContent.replace(/\n$/, "").split("\n").length;
  return tn("code, one line", "code, {count} lines", lines);
};

function tableWords({ rows }) {
  const shown = [...rows].slice(0, MOST_ROWS + 1);
  const words = shown.map(({ cells }) => Array.from(cells, (cell) => wordsOf(cell).trim() || t("blank")).join(", "));
  return [...words, rows.length > shown.length ? t("See the answer for all rows.") : ""].join(LINE_END);
}

const itemWords = (list) => Array.from(list.children, (item, at) => `${list.start + at}. ${wordsOf(item).trim()}`);

function wordsIn(element) {
  if (element.matches(".code-block")) return codeWords(element);
  if (element.matches("table")) return tableWords(element);
  if (element.matches("ol")) return itemWords(element).join(LINE_END);
  if (element.matches("img")) return element.alt;
  if (element.matches("input")) return `${element.getAttribute("aria-label")}: `;
  if (element.matches("math"))
    return Array.from(element.querySelectorAll("mi, mn, mo, ms, mtext"), (symbol) => symbol.textContent).join(" ");
  return Array.from(element.childNodes, wordsOf).join("");
}

function wordsOf(node) {
  if (node.nodeType === Node.TEXT_NODE) return node.data.replace(/\s+/g, " ");
  if (node.nodeType !== Node.ELEMENT_NODE || node.matches(SILENT)) return "";
  if (node.matches("br")) return LINE_END;
  const words = wordsIn(node);
  return node.matches(`${LINE}, table`) ? `${LINE_END}${words}${LINE_END}` : words;
}

/** The sentences under `root`, each with the following white space; a line break ends a sentence. */
export const sentencesOf = (root) =>
  wordsOf(root)
    .split(LINE_END)
    .map((line) => line.replace(/\s+/g, " ").replace(BEFORE_PUNCTUATION, "").trim())
    .flatMap((line) => Array.from(sentences.segment(line), ({ segment }) => segment));

function cut(sentence, mostCharacters) {
  if (sentence.length <= mostCharacters) return [sentence];
  const most = sentence.slice(0, mostCharacters).replace(/[\ud800-\udbff]$/, "");
  const end = most.lastIndexOf(" ") + 1 || most.length;
  return [sentence.slice(0, end), ...cut(sentence.slice(end), mostCharacters)];
}

/** Sentences joined in parts of at most `mostCharacters`, without joining lines; longer ones are cut. */
export function partsOf(all, mostCharacters) {
  const parts = [];
  for (const words of all.flatMap((sentence) => cut(sentence, mostCharacters))) {
    const last = parts.at(-1);
    if (last?.endsWith(" ") && last.length + words.length <= mostCharacters) parts.push(parts.pop() + words);
    else parts.push(words);
  }
  return parts.map((part) => part.trim());
}

/** The spoken language of a block; code is announced in the page's. */
export const languageOf = (block) =>
  (block.querySelector(":scope > .code-block") ? document.documentElement : block).closest("[lang]").lang;
