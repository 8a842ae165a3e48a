import { expect, test } from "bun:test";
import { areOfOneQuestion, missingCount } from "../../chat_ui/components/comparing/pairs.js";

const turns = (...questions) => questions.map((question, at) => ({ id: `${at}`, question }));

test("a new arm was asked nothing yet", () => {
  expect(missingCount(turns("One?", "Two?"), [])).toBe(2);
});

test("what came after the last question of both is missing", () => {
  expect(missingCount(turns("One?", "Two?", "Three?"), turns("One?", "Two?"))).toBe(1);
  expect(missingCount(turns("One?", "Two?"), turns("One?", "Two?", "Please go on."))).toBe(0);
  expect(missingCount(turns("One?"), turns("One?"))).toBe(0);
});

test("a question that is asked again is another one", () => {
  expect(missingCount(turns("Hi", "Mid", "Hi"), turns("Hi"))).toBe(2);
  expect(areOfOneQuestion(turns("Hi", "Mid", "Hi"), turns("Hi"))).toBe(false);
  expect(areOfOneQuestion(turns("Hi", "Mid", "Hi"), turns("Hi", "Mid", "Hi"))).toBe(true);
});

test("two answers are a pair if their questions are one", () => {
  expect(areOfOneQuestion(turns("One?"), turns("One?"))).toBe(true);
  expect(areOfOneQuestion(turns("One?", "Two?"), turns("One?"))).toBe(false);
  expect(areOfOneQuestion([], [])).toBe(false);
});
