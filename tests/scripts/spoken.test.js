import { expect, test } from "bun:test";
import { inRuns, piecesOf } from "../../chat_ui/components/speech/spoken.js";

function answer(html, lang = "") {
  document.body.innerHTML = `<div ${lang && `lang="${lang}"`}>${html}</div>`;
  return document.body.firstElementChild;
}

const spoken = (html, how = {}) => piecesOf(answer(html), how).map(({ words }) => words);

// The runs of an answer in French, each with its language.
const runs = (html) =>
  piecesOf(answer(html, "fr")).flatMap((piece) =>
    inRuns(piece, [piece.words]).map((said) => said.map(({ words, lang }) => [lang, words])),
  );

const cite = (number, missing = "") =>
  `<button class="citation${missing}" data-citation="${number}">${number}</button>`;

test("each block is a piece", () => {
  expect(spoken("<h2>Title</h2><p>One\n  two.</p>")).toEqual(["Title", "One two."]);
});

test("items of an ordered list are told with their numbers", () => {
  expect(spoken('<ol start="3"><li>Three</li><li>Four</li></ol>')).toEqual(["3. Three", "4. Four"]);
});

test("citations are words of their own, set apart from each other and from the text", () => {
  expect(spoken(`<p>So it is${cite(1)}${cite(2, " citation-missing")}.</p>`)).toEqual([
    "So it is source 1, source 2 (not found).",
  ]);
  expect(spoken(`<p>So it is ${cite(1)}${cite(2)}.</p>`, { cites: false })).toEqual(["So it is."]);
});

test("code is told as its language and length", () => {
  const block =
    '<div class="code-block"><div class="code-header"><span class="code-language">python</span></div><pre><code>a\nb\n</code></pre></div>';
  expect(spoken(block)).toEqual(["code, python, 2 lines"]);
});

test("a row is read cell by cell, and an empty cell as blank", () => {
  expect(spoken("<table><tr><td>One</td><td></td></tr></table>")).toEqual(["table, 2 columns, one row", "One, blank"]);
});

test("of a long table its size and its columns are read", () => {
  const rows = "<tr><td>One</td></tr>".repeat(21);
  expect(spoken(`<table><thead><tr><th>Number</th></tr></thead><tbody>${rows}</tbody></table>`)).toEqual([
    "table, one column, 21 rows",
    "Number",
    "The rows are in the answer.",
  ]);
});

test("controls are not read", () => {
  expect(spoken("<p>Text<button>Copy</button></p>")).toEqual(["Text"]);
});

test("what the page says inside of a sentence is in the page's language", () => {
  expect(runs(`<p>C'est vrai${cite(1)}${cite(2)}. Voici.</p>`)).toEqual([
    [
      ["fr", "C'est vrai "],
      ["en", "source 1, source 2"],
      ["fr", ". Voici."],
    ],
  ]);
  expect(runs('<p>Voici <img alt="une bouée"> rouge</p>')).toEqual([
    [
      ["fr", "Voici "],
      ["en", "image "],
      ["fr", "une bouée rouge"],
    ],
  ]);
  expect(runs("<table><tr><td>Un</td><td></td></tr></table>")).toEqual([
    [["en", "table, 2 columns, one row"]],
    [
      ["fr", "Un, "],
      ["en", "blank"],
    ],
  ]);
});

test("what stands in a row is divided as its language does", () => {
  const row = (cells, lang) => piecesOf(answer(`<table><tr>${cells}</tr></table>`, lang)).at(-1).words;
  expect(row("<td>واحد</td><td>اثنان</td>", "ar")).toBe("واحد، اثنان");
  expect(row("<td>一</td><td>二</td>", "zh-Hans")).toBe("一、二");
  expect(row("<td>いち</td><td>に</td>", "ja")).toBe("いち、に");
  expect(row("<td>Eins</td><td>Zwei</td>", "de")).toBe("Eins, Zwei");
});

test("sources in a row are divided as the page's language does", () => {
  const cited = `<p>So it is${cite(1)}${cite(2)}.</p>`;
  document.documentElement.lang = "ja";
  expect(spoken(cited)).toEqual(["So it is source 1、source 2."]);
  document.documentElement.lang = "en";
  expect(piecesOf(answer(cited, "ja")).map(({ words }) => words)).toEqual(["So it is source 1, source 2."]);
});

test("signs alone are no words of a language, and go with the words beside them", () => {
  expect(runs(`<p>(${cite(1)}).</p>`)).toEqual([[["en", "(source 1)."]]]);
});

test("an answer in the page's language is in that one alone", () => {
  const [piece] = piecesOf(answer(`<p>So it is${cite(1)}.</p>`, "en-GB"));
  expect(inRuns(piece, [piece.words])).toEqual([[{ words: "So it is source 1.", lang: "en-GB" }]]);
});

test("each part of a piece has its own runs, and together they are the whole", () => {
  const [piece] = piecesOf(answer(`<p>Oui. Oui${cite(1)}. Oui.</p>`, "fr"));
  expect(inRuns(piece, ["Oui.", "Oui source 1.", "Oui."])).toEqual([
    [{ words: "Oui.", lang: "fr" }],
    [
      { words: "Oui ", lang: "fr" },
      { words: "source 1.", lang: "en" },
    ],
    [{ words: "Oui.", lang: "fr" }],
  ]);
  expect(inRuns(piece, ["Oui."], 19)).toEqual([[{ words: "Oui.", lang: "fr" }]]);
});
