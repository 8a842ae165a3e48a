import { beforeEach, expect, test } from "bun:test";
import { claim, setPending, turnOf, pending } from "../../chat_ui/components/asking/pending_questions.js";

beforeEach(() => {
  sessionStorage.clear();
  localStorage.clear();
});

test("questions under way outlast the page, in their order", () => {
  const sent = [{ question: "One?" }, { question: "Two?" }];
  setPending(sent);
  expect(pending()).toEqual(sent);
});

test("the same questions are the same object until they change", () => {
  setPending([{ question: "One?" }]);
  expect(pending()).toBe(pending());
});

test("nothing is stored where nothing is under way", () => {
  setPending([{ question: "One?" }]);
  setPending([]);
  expect([pending(), sessionStorage.length]).toEqual([[], 0]);
});

test("a question is handed over by the first tab that claims it", () => {
  expect([claim(1), claim(1), claim(2)]).toEqual([true, false, true]);
});

test("the turn of a question is the first with its words after the turn that was the last", () => {
  const turns = ["a", "b", "c"].map((id) => ({ id, question: "Same?" }));
  expect(turnOf({ question: "Same?", after: "a" }, [], turns)?.id).toBe("b");
});

test("a turn whose question is cut is known by its beginning", () => {
  const turn = { id: "a", question: "A long", question_is_cut: true };
  expect(turnOf({ question: "A long question?" }, [], [turn])).toBe(turn);
});

test("a question for another conversation has no turn in this one", () => {
  const turns = [{ id: "a", question: "Same?" }];
  expect(turnOf({ question: "Same?", into: "other" }, ["this"], turns)).toBeUndefined();
});
