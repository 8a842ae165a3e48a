import { expect, test } from "bun:test";
import { isSame, languageOf, partsOf, sentencesOf } from "../../chat_ui/page/announcing/spoken.js";

function answer(html) {
  document.body.innerHTML = `<div lang="fr">${html}</div>`;
  return document.body.firstElementChild;
}

const heard = (html) => partsOf(sentencesOf(answer(html)), 300);

const cite = (number) => `<span class="cited">\u00a0<button class="citation">${number}</button>.</span>`;
const code = '<div class="code-block"><div class="code-header">python</div><pre><code>a\nb\n</code></pre></div>';

test("each block and line is spoken separately, with the numbers of items", () => {
  expect(heard("<h2>Title</h2><p>One\n  two.<br>Three.</p>")).toEqual(["Title", "One two.", "Three."]);
  expect(heard('<ol start="3"><li>Three</li><li><p>Four</p></li></ol>')).toEqual(["3. Three", "4. Four"]);
  expect(heard('<ul><li><input type="checkbox" aria-label="Done"> paint it</li></ul>')).toEqual(["Done: paint it"]);
});

test("citations and controls are not spoken", () => {
  expect(heard(`<p>So it is${cite(1)} It floats.</p><p>Text<button>Copy</button></p>`)).toEqual([
    "So it is. It floats.",
    "Text",
  ]);
});

test("code is spoken as its length, in the page's language", () => {
  expect(heard(code)).toEqual(["code, 2 lines"]);
  const root = answer(`<div><p>Oui.</p></div><div>${code}</div>`);
  expect([...root.children].map(languageOf)).toEqual(["fr", "en"]);
});

test("a table is spoken by rows, and a long one by its first rows", () => {
  expect(heard("<table><tr><th>Plan</th><th>Price</th></tr><tr><td>Basic</td><td></td></tr></table>")).toEqual([
    "Plan, Price",
    "Basic, blank",
  ]);
  const rows = "<tr><td>One</td></tr>".repeat(22);
  expect(heard(`<table>${rows}</table>`)).toEqual([...Array(21).fill("One"), "See the answer for all rows."]);
});

test("a formula is spoken by its symbols", () => {
  expect(heard("<p>Here is <math><msup><mi>x</mi><mn>2</mn></msup></math>.</p>")).toEqual(["Here is x 2."]);
});

test("short sentences are spoken together, and long ones in parts", () => {
  expect(partsOf(["It is so. ", "Is it? ", "Yes."], 17)).toEqual(["It is so. Is it?", "Yes."]);
  expect(partsOf(["one two three four"], 10)).toEqual(["one two", "three four"]);
  expect(partsOf(["ブイは赤い"], 2)).toEqual(["ブイ", "は赤", "い"]);
  expect(partsOf(["🛟🛟"], 3)).toEqual(["🛟", "🛟"]);
});

test("a language is recognised by each tag, script and region", () => {
  for (const [one, other] of [
    ["nb-NO", "no"],
    ["cmn-Hans-CN", "zh-Hans"],
    ["iw-IL", "he"],
    ["pt_BR", "pt"],
    ["EN-us", "en-GB"],
  ])
    expect([one, other, isSame(one, other)]).toEqual([one, other, true]);
  for (const [one, other] of [
    ["nb", "nl"],
    ["fil", "fi"],
    ["", "en"],
  ])
    expect([one, other, isSame(one, other)]).toEqual([one, other, false]);
});
