import { expect, test } from "bun:test";
import { arrange, setLanguage } from "../../chat_ui/page/thread/arranging.js";

function answer(html, language = "") {
  const root = document.createElement("div");
  root.innerHTML = html;
  setLanguage(root, language);
  arrange(root);
  return root;
}

const table = (...rows) =>
  `<div class="table-scroll"><table>${rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join("")}</tr>`).join("")}</table></div>`;
const alignments = (root) => [...root.querySelectorAll("td")].map((cell) => cell.getAttribute("align"));

test("a column of numbers is aligned right, and a column of words is not", () => {
  const root = answer(table(["plan", "price"], ["Basic", "9.50 €"], ["Plus", "–"], ["Max", "1,200 kg"]));
  expect(alignments(root)).toEqual([null, "right", null, "right", null, "right", null, "right"]);
});

test("single rows, spanning cells and words among numbers are unchanged", () => {
  for (const rows of [
    [["a"], ["1"]],
    [["a"], ["1"], ["two of them"]],
    [["a"], ["–"], [""]],
    [["a", "b"], ["1", "2"], ["3"]],
  ])
    expect(alignments(answer(table(...rows))).every((align) => align === null)).toBe(true);
});

test("the answer's alignment of a column is kept", () => {
  const root = answer(table(["a"], ["1"], ["2"]).replace("<td>a", '<td align="center">a'));
  expect(alignments(root)).toEqual(["center", null, null]);
});

test("a right-to-left text is aligned right with its blocks without a letter", () => {
  const root = answer('<p dir="auto">12 שלום</p><p dir="auto">345</p><p dir="auto">Latin</p>');
  expect(root.dir).toBe("rtl");
  expect([...root.children].map((block) => block.dir)).toEqual(["auto", "rtl", "auto"]);
  expect(answer('<p dir="auto">Hello שלום</p><p dir="auto">345</p>').dir).toBe("ltr");
});

test("code and controls in an answer of another language keep the page's", () => {
  const root = answer('<p>Les bouées.<button>1</button></p><div class="code-block"><code>print</code></div>', "fr");
  expect([root.lang, ...Array.from(root.querySelectorAll("[lang]"), ({ lang }) => lang)]).toEqual(["fr", "en", "en"]);
  setLanguage(root, "");
  expect(root.hasAttribute("lang")).toBe(false);
});

test("an answer in a right-to-left page's language is right to left", () => {
  const page = document.documentElement;
  const former = page.lang;
  page.lang = "ar";
  const root = answer('<div class="block" dir="auto">Teams مغلق</div><div class="block" dir="auto">Teams</div>', "ar");
  page.lang = former;
  expect(root.hasAttribute("lang")).toBe(false);
  expect([root.dir, ...Array.from(root.children, ({ dir }) => dir)]).toEqual(["rtl", "rtl", "auto"]);
});

test("an answer in Hebrew is right to left in each block", () => {
  const root = answer('<div class="block" dir="auto">Teams נסגר</div><div class="block" dir="auto">Teams</div>', "he");
  expect([root.dir, ...Array.from(root.children, ({ dir }) => dir)]).toEqual(["rtl", "rtl", "auto"]);
});
