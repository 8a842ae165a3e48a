import { beforeEach, expect, test } from "bun:test";
import { claim, setPending, turnOf, pending } from "../../chat_ui/page/asking/pending_questions.js";

beforeEach(() => {
  sessionStorage.clear();
  localStorage.clear();
});

test("questions under way outlast the page in their order, and leave nothing there when they are over", () => {
  const sent = [{ question: "One?" }, { question: "Two?" }];
  setPending(sent);
  expect(pending()).toEqual(sent);
  // React looks whether the object is another one.
  expect(pending()).toBe(pending());
  setPending([]);
  expect([pending(), sessionStorage.length]).toEqual([[], 0]);
});

test("a question is handed over by the first tab that claims it", () => {
  expect([claim(1), claim(1), claim(2)]).toEqual([true, false, true]);
});

test("the turn of a question is the first with its words after the turn that was the last, in its conversation", () => {
  const turns = ["a", "b", "c"].map((id) => ({ id, question: "Same?" }));
  expect(turnOf({ question: "Same?", after: "a" }, [], turns)?.id).toBe("b");
  expect(turnOf({ question: "Same?", into: "other" }, ["this"], turns)).toBeUndefined();
  const cut = { id: "a", question: "A long", question_is_cut: true };
  expect(turnOf({ question: "A long question?" }, [], [cut])).toBe(cut);
});
