// Retries of failed requests: a part of the page at once, others with growing pauses.

import { afterEach, beforeEach, expect, jest, mock, spyOn, test } from "bun:test";
import { fetched, needed, untilLoaded } from "../../chat_ui/page/shared/loading.js";
import { settled } from "./rendering.js";

let answers;
let asked;
let told;
let end;

const away = (status = 503, headers = {}) => new Response("", { status, headers });
const pass = async (milliseconds) => {
  jest.advanceTimersByTime(milliseconds);
  await settled();
};

async function load(...given) {
  [answers, asked, told] = [given, 0, []];
  const attempt = async (signal) => {
    asked += 1;
    await fetched("/part", signal);
  };
  end = untilLoaded(attempt, (failures, isLast) => told.push([failures, isLast]));
  await settled();
}

beforeEach(() => {
  jest.useFakeTimers();
  spyOn(Math, "random").mockReturnValue(0.5);
  spyOn(globalThis, "fetch").mockImplementation(
    /** @type {any} */ (
      async () => {
        const answer = answers.shift();
        if (answer instanceof Error) throw answer;
        return answer;
      }
    ),
  );
});
afterEach(() => {
  end?.();
  mock.restore();
  jest.useRealTimers();
});

test("pauses grow to half a minute until a success", async () => {
  await load(
    new TypeError("no network"),
    ...[404, 408, 425, 429, 500, 502, 503].map((status) => away(status)),
    away(200),
  );
  for (const pause of [500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000]) {
    const before = asked;
    await pass(pause - 1);
    expect(asked).toBe(before);
    await pass(1);
    expect(asked).toBe(before + 1);
  }
  expect(told.at(-1)).toEqual([8, false]);
  await pass(120_000);
  expect([asked, told.length]).toEqual([9, 8]);
});

test("Retry-After is kept, and coming online or into view ends a pause", async () => {
  await load(away(503, { "retry-after": "7" }), away(), away(), away(200));
  await pass(6999);
  expect(asked).toBe(1);
  await pass(1);
  expect(asked).toBe(2);
  window.dispatchEvent(new Event("online"));
  await settled();
  expect(asked).toBe(3);
  document.dispatchEvent(new Event("visibilitychange"));
  await settled();
  expect(asked).toBe(4);
});

test("a permanent refusal is not retried", async () => {
  await load(away(403));
  await pass(120_000);
  window.dispatchEvent(new Event("online"));
  await settled();
  expect([asked, told]).toEqual([1, [[1, true]]]);
});

test("an abandoned request is not retried", async () => {
  await load(away());
  end();
  await pass(120_000);
  window.dispatchEvent(new Event("online"));
  expect(asked).toBe(1);
});

test.each([
  ["what failed once is there", 1, { part: "loaded" }],
  ["what fails twice is not", 2, null],
])("a part that is needed is asked for again at once, and %s", async (_words, failures, found) => {
  const load = mock(async () => {
    if (load.mock.calls.length <= failures) throw new TypeError("the connection was closed");
    return { part: "loaded" };
  });
  expect(await needed(load)).toEqual(found);
  expect(load).toHaveBeenCalledTimes(2);
});
