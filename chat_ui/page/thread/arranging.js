// Properties of an answer's complete text: its language, its direction, and numeric columns of its tables.

const RIGHT_TO_LEFT = new Set(["ar", "fa", "he", "ps", "sd", "ur", "yi"]);
const LETTER = /\p{L}/u;
const FROM_RIGHT = /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;
// Digits with signs around them, and a unit of a few letters.
const NUMBER = /^[^\p{L}]*\d[^\p{L}]*(?:\p{L}{1,3})?[^\p{L}]*$/u;
const BLANK = /^[\s–—-]*$/;

const NAMED = { nn: "nb", no: "nb" };

function isOfPage(language) {
  const [page] = document.documentElement.lang.split("-");
  return language === (NAMED[page] ?? page);
}

/** Set the language of an answer's text if it is not the page's; empty if uncertain. */
export function setLanguage(root, language) {
  if (language && !isOfPage(language)) root.lang = language;
  else root.removeAttribute("lang");
  if (RIGHT_TO_LEFT.has(language)) root.dir = "rtl";
}

// The page's controls and code keep the page's language.
function keepLanguage(root, part) {
  if (!root.lang) return;
  for (const own of part.querySelectorAll("button, input, .code-block")) own.lang = document.documentElement.lang;
}

const languageOf = (root) => root.lang || document.documentElement.lang.split("-")[0];

// A text has the direction of its language, or of its first script. So have its blocks without letters, and those that
// start with a name in another script.
function setDirection(root, part) {
  const letter = part.textContent.match(LETTER)?.[0];
  if (!root.dir && letter) root.dir = FROM_RIGHT.test(letter) ? "rtl" : "ltr";
  if (root.dir !== "rtl") return;
  for (const block of part.querySelectorAll("[dir=auto]")) {
    const isOf = RIGHT_TO_LEFT.has(languageOf(root)) && block.matches(".block") && FROM_RIGHT.test(block.textContent);
    if (isOf || !LETTER.test(block.textContent)) block.dir = "rtl";
  }
}

function areNumbers(cells) {
  const texts = cells.map((cell) => cell.textContent.trim());
  return texts.some((text) => NUMBER.test(text)) && texts.every((text) => NUMBER.test(text) || BLANK.test(text));
}

// Align numbers of a column at their ends, unless the answer sets the alignment.
function alignNumbers(table) {
  const [head, ...rows] = [...table.rows].map((row) => [...row.cells]);
  const isEven = rows.every((cells) => cells.length === head.length && cells.every((cell) => cell.colSpan === 1));
  if (rows.length < 2 || !isEven) return;
  for (const [at, name] of head.entries()) {
    const column = rows.map((cells) => cells[at]);
    if (name.hasAttribute("align") || !areNumbers(column)) continue;
    for (const cell of [name, ...column]) cell.setAttribute("align", "right");
  }
}

/** Arrange the text of an answer, or a new `part` of it, by its content. */
export function arrange(root, part = root) {
  keepLanguage(root, part);
  setDirection(root, part);
  for (const table of part.querySelectorAll(".table-scroll table")) alignNumbers(table);
}
