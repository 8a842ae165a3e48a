import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { type } from "../../chat_ui/features/presenting/page/typing.js";

let isReduced = false;
const matchMedia = globalThis.matchMedia;

beforeEach(() => {
  isReduced = false;
  globalThis.matchMedia = /** @type {any} */ (() => ({ matches: isReduced }));
  jest.useFakeTimers();
});

afterEach(() => {
  jest.useRealTimers();
  globalThis.matchMedia = matchMedia;
});

const box = () => {
  const form = document.createElement("form");
  return form.appendChild(document.createElement("textarea"));
};

test("whole letters appear in turn until the end", async () => {
  const place = box();
  const { done } = type(place, "Öl 👩‍🔬?");
  expect(place.value).toBe("");
  expect(place.form.hasAttribute("data-typing")).toBe(true);
  const seen = new Set();
  for (let time = 0; time < 3000; time += 5) {
    jest.advanceTimersByTime(5);
    seen.add(place.value);
  }
  expect([...seen].every((words) => words.isWellFormed())).toBe(true);
  expect(seen.size).toBeGreaterThan(5);
  expect(await done).toBe(true);
  expect(place.value).toBe("Öl 👩‍🔬?");
  expect(place.form.hasAttribute("data-typing")).toBe(false);
});

test("a long question takes about six seconds, with no more changes than frames", async () => {
  const place = box();
  const question = "word ".repeat(800);
  const { done } = type(place, question);
  const seen = new Set();
  for (let time = 0; time < 8000; time += 1) {
    jest.advanceTimersByTime(1);
    seen.add(place.value);
  }
  expect(seen.size).toBeLessThan(8000 / 10);
  expect(await done).toBe(true);
  expect(place.value).toBe(question);
});

test("the text can be completed at once or withdrawn", async () => {
  const place = box();
  const hurried = type(place, "Who pays?");
  hurried.hurry();
  expect(await hurried.done).toBe(true);
  expect(place.value).toBe("Who pays?");
  const cancelled = type(place, "How much?");
  jest.advanceTimersByTime(100);
  cancelled.cancel();
  expect(await cancelled.done).toBe(false);
  jest.advanceTimersByTime(10_000);
  expect(place.value).toBe("");
});

test("reduced motion shows the text at once", async () => {
  isReduced = true;
  const place = box();
  const { done } = type(place, "Who pays?");
  expect(place.value).toBe("Who pays?");
  expect(await done).toBe(true);
});
