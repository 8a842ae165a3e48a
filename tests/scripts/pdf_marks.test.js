import { expect, test } from "bun:test";
import { drawMark, outlineOf } from "../../chat_ui/page/sources/pdf_marks.js";

const box = (left, top, right, bottom) => ({ left, top, right, bottom });
const LINES = [box(50, 0, 100, 10), box(0, 12, 100, 22), box(0, 24, 30, 34)];

test("lines below each other are one shape without gaps", () => {
  expect(outlineOf(LINES)).toBe(
    "M100.0 0.0L100.0 11.0L100.0 11.0L100.0 23.0L30.0 23.0L30.0 34.0" +
      "L0.0 34.0L0.0 23.0L0.0 23.0L0.0 11.0L50.0 11.0L50.0 0.0Z",
  );
  // Words of a line, also from right to left, are a line.
  const words = [box(60, 0, 100, 10), box(0, 1, 50, 10), box(0, 12, 100, 22)];
  expect(outlineOf(words).match(/L/g)).toHaveLength(7);
});

test("columns and distant lines are shapes of one path", () => {
  const column = LINES.map(({ left, top, right, bottom }) => box(left + 300, top - 400, right + 300, bottom - 400));
  expect(outlineOf([...LINES, ...column]).match(/M/g)).toHaveLength(2);
  expect(outlineOf([LINES[0], box(0, 80, 100, 90)]).match(/M/g)).toHaveLength(2);
  expect(outlineOf([LINES[0], box(0, 12, 40, 22)]).match(/M/g)).toHaveLength(2);
});

test("lines of a page on its side are one shape in both directions", () => {
  const down = LINES.map(({ left, top, right, bottom }) => box(top, left, bottom, right));
  for (const lines of [down, down.toReversed()]) expect(outlineOf(lines).match(/M/g)).toHaveLength(1);
});

test("screen readers find the marked text of several elements in its order", () => {
  document.body.innerHTML = "<div><div><span>Before. It is</span><span> </span><span>so. It was so.</span></div></div>";
  const [text] = document.body.firstElementChild.children;
  const [first, , last] = text.children;
  const ranges = [document.createRange(), document.createRange()];
  ranges[0].setStart(first.firstChild, 8);
  ranges[0].setEnd(last.firstChild, 3);
  ranges[1].setStart(last.firstChild, 7);
  ranges[1].setEnd(last.firstChild, 10);
  drawMark(document.body.firstElementChild, text, ranges);
  expect([...text.querySelectorAll("mark")].map((one) => one.textContent)).toEqual(["It is", "so.", "was"]);
  expect(text.textContent).toBe("Before. It is so. It was so.");
  expect(document.querySelectorAll("svg[aria-hidden] path")).toHaveLength(1);
  expect(drawMark(document.body.firstElementChild, text, [])).toBeNull();
});
