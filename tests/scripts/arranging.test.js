import { expect, test } from "bun:test";
import { arrange } from "../../chat_ui/components/thread/arranging.js";

function answer(html) {
  const root = document.createElement("div");
  root.innerHTML = html;
  arrange(root);
  return root;
}

const table = (...rows) =>
  `<div class="table-scroll"><table>${rows.map((row) => `<tr>${row.map((cell) => `<td>${cell}</td>`).join("")}</tr>`).join("")}</table></div>`;
const alignments = (root) => [...root.querySelectorAll("td")].map((cell) => cell.getAttribute("align"));

test("a column of numbers is set to the right with its name, and a column of words is not", () => {
  const root = answer(table(["plan", "price"], ["Basic", "9.50 €"], ["Plus", "–"], ["Max", "1,200 kg"]));
  expect(alignments(root)).toEqual([null, "right", null, "right", null, "right", null, "right"]);
});

test("one row, cells over several columns, and words among numbers are left as they are", () => {
  for (const rows of [
    [["a"], ["1"]],
    [["a"], ["1"], ["two of them"]],
    [["a"], ["–"], [""]],
    [["a", "b"], ["1", "2"], ["3"]],
  ])
    expect(alignments(answer(table(...rows))).every((align) => align === null)).toBe(true);
});

test("what the answer says of a column holds", () => {
  const root = answer(table(["a"], ["1"], ["2"]).replace("<td>a", '<td align="center">a'));
  expect(alignments(root)).toEqual(["center", null, null]);
});

test("a text that begins from the right is set from the right, with its blocks without a letter", () => {
  const root = answer('<p dir="auto">12 שלום</p><p dir="auto">345</p><p dir="auto">Latin</p>');
  expect(root.dir).toBe("rtl");
  expect([...root.children].map((block) => block.dir)).toEqual(["auto", "rtl", "auto"]);
  expect(answer('<p dir="auto">Hello שלום</p><p dir="auto">345</p>').dir).toBe("ltr");
});
