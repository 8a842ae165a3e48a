import { beforeEach, expect, test } from "bun:test";
import { claim, setPending, turnOf, pending } from "../../chat_ui/page/asking/pending_questions.js";

beforeEach(() => {
  sessionStorage.clear();
  localStorage.clear();
});

test("pending questions survive a reload in order and are removed at the end", () => {
  const sent = [{ question: "One?" }, { question: "Two?" }];
  setPending(sent);
  expect(pending()).toEqual(sent);
  // React compares objects by identity.
  expect(pending()).toBe(pending());
  setPending([]);
  expect([pending(), sessionStorage.length]).toEqual([[], 0]);
});

test("a question belongs to the first tab that claims it", () => {
  expect([claim(1), claim(1), claim(2)]).toEqual([true, false, true]);
});

test("a question's turn is the first later one with its words", () => {
  const turns = ["a", "b", "c"].map((id) => ({ id, question: "Same?" }));
  expect(turnOf({ question: "Same?", after: "a" }, [], turns)?.id).toBe("b");
  expect(turnOf({ question: "Same?", into: "other" }, ["this"], turns)).toBeUndefined();
  const cut = { id: "a", question: "A long", question_is_cut: true };
  expect(turnOf({ question: "A long question?" }, [], [cut])).toBe(cut);
});
