import { beforeEach, expect, test } from "bun:test";
import { nearestRange, rangesOf } from "../../chat_ui/page/sources/passage_marks.js";

beforeEach(() => {
  document.body.innerHTML = "";
});

function shown(html) {
  document.body.innerHTML = html;
  return document.body;
}

test("a sentence is found across elements, line breaks and hyphens", () => {
  const root = shown("<p>Before. The <b>annual</b> leave is twen-\nty days. After.</p>");
  expect(rangesOf(root, ["The annual leave is twenty days"]).map(String)).toEqual([
    "The annual leave is twen-\nty days",
  ]);
});

test("a mostly present sentence is found close together", () => {
  const root = shown("<p>Employees may carry over five days of leave, said the handbook, until the end of March.</p>");
  const [range] = rangesOf(root, ["Employees may carry over five days of leave until the end of March next year"]);
  expect(String(range)).toStartWith("Employees may carry over five days");
});

test("a missing sentence has no range", () => {
  expect(rangesOf(shown("<p>Something else.</p>"), ["The annual leave is twenty days"])).toEqual([]);
});

test("the place nearest to the control is marked", () => {
  const root = shown("<p>The same words. Other text between them.</p><p>The same words.<button>1</button></p>");
  const range = nearestRange(root, "The same words", root.querySelector("button"));
  expect(range.startContainer.parentElement).toBe(root.lastElementChild);
});
