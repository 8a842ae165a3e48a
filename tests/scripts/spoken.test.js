import { expect, test } from "bun:test";
import { piecesOf } from "../../chat_ui/components/speech/spoken.js";

function spoken(html, how = {}) {
  const root = document.createElement("div");
  root.innerHTML = html;
  return piecesOf(root, how).map(({ words }) => words);
}

test("each block is a piece", () => {
  expect(spoken("<h2>Title</h2><p>One\n  two.</p>")).toEqual(["Title", "One two."]);
});

test("items of an ordered list are told with their numbers", () => {
  expect(spoken('<ol start="3"><li>Three</li><li>Four</li></ol>')).toEqual(["3. Three", "4. Four"]);
});

test("citations are words of their own, set apart from each other and from the text", () => {
  const cite = (number, missing = "") =>
    `<button class="citation${missing}" data-citation="${number}">${number}</button>`;
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
