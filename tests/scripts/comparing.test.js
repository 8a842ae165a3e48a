import { expect, test } from "bun:test";
import { areOfOneQuestion, missingCount } from "../../chat_ui/features/comparing/page/pairs.js";
import { placeBetween } from "../../chat_ui/features/comparing/page/scrolling.js";
import { wordDiff } from "../../chat_ui/features/comparing/page/word_diff.js";

const turns = (...questions) => questions.map((question, at) => ({ id: `${at}`, question }));

test("a new column has no questions", () => {
  expect(missingCount(turns("One?", "Two?"), [])).toBe(2);
});

test("questions after the last common one are missing", () => {
  expect(missingCount(turns("One?", "Two?", "Three?"), turns("One?", "Two?"))).toBe(1);
  expect(missingCount(turns("One?", "Two?"), turns("One?", "Two?", "Please go on."))).toBe(0);
  expect(missingCount(turns("One?"), turns("One?"))).toBe(0);
});

test("decisions are not missing in the other column", () => {
  const [one, two] = turns("One?", "Approved");
  expect(missingCount([one, { ...two, decides: "c.1" }], [one])).toBe(0);
});

test("a repeated question is another one", () => {
  expect(missingCount(turns("Hi", "Mid", "Hi"), turns("Hi"))).toBe(2);
  expect(areOfOneQuestion(turns("Hi", "Mid", "Hi"), turns("Hi"))).toBe(false);
  expect(areOfOneQuestion(turns("Hi", "Mid", "Hi"), turns("Hi", "Mid", "Hi"))).toBe(true);
});

test("two answers to one question are a pair", () => {
  expect(areOfOneQuestion(turns("One?"), turns("One?"))).toBe(true);
  expect(areOfOneQuestion(turns("One?", "Two?"), turns("One?"))).toBe(false);
  expect(areOfOneQuestion([], [])).toBe(false);
});

test("equal points of two columns meet at the start of the view", () => {
  expect(placeBetween([-300, -100, 0, 500], [-200, -150, -40, 60])).toBe(-40);
  expect(placeBetween([-300, -0.01, 0], [-200, -40, 500])).toBe(-40);
});

test("between two equal points, both columns move in proportion", () => {
  expect(placeBetween([-300, -100, 100, 500], [-200, -50, 150, 400])).toBe(50);
});

test("before the first point and after the last one, a column shows its beginning and its end", () => {
  expect(placeBetween([10, 100], [-200, 300])).toBe(-200);
  expect(placeBetween([-100, 0], [-200, 300])).toBe(300);
});

const of = (parts, ...kinds) => parts.filter(({ kind }) => kinds.includes(kind)).map(({ text }) => text);

test("the parts of a side are its text", async () => {
  const [left, right] = ["You get 20 weeks of leave.", "You get 12 weeks of paid leave.\n\nAsk early."];
  const parts = await wordDiff(left, right, "en");
  expect(of(parts, "both", "right").join("")).toBe(right);
  expect(of(parts, "left").map((text) => text.trim())).toEqual(["20"]);
});

test("words of a script without spaces are words", async () => {
  const parts = await wordDiff("休暇は二十週間です。", "休暇は十二週間です。", "ja");
  expect(of(parts, "both").join("")).toContain("休暇は");
});

test("too long or too different texts are not compared", async () => {
  expect(await wordDiff("a ".repeat(150_000), "b", "en")).toBe(null);
  const words = (from) => Array.from({ length: 30_000 }, (_, at) => (from + at).toString(36)).join(" ");
  expect(await wordDiff(words(100), words(5_000_000), "en")).toBe(null);
}, 20_000);
