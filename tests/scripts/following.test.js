import { afterEach, beforeEach, expect, jest, spyOn, test } from "bun:test";
import { follow } from "../../chat_ui/components/thread/answer_text.jsx";

const nothing = () => {};
const sources = [];

class Source extends EventTarget {
  static CLOSED = 2;
  readyState = 0;
  constructor() {
    super();
    sources.push(this);
  }
  close() {
    this.readyState = Source.CLOSED;
  }
}

function followed() {
  const announced = { goOn: nothing, end: nothing };
  return follow(document.createElement("div"), { address: "/a", announced, onWhole: nothing, onText: nothing });
}

beforeEach(() => {
  jest.useFakeTimers();
  sources.length = 0;
  globalThis.EventSource = /** @type {any} */ (Source);
});
afterEach(() => jest.useRealTimers());

test("the first words are painted as they come, and later ones take a twenty-fifth of the time", () => {
  const [every, costs, seconds] = [50, 8, 10];
  const painted = [];
  let now = 5000;
  let asked = null;
  const spies = [
    spyOn(performance, "now").mockImplementation(() => now),
    spyOn(globalThis, "requestAnimationFrame").mockImplementation((paint) => {
      asked = paint;
      return 1;
    }),
  ];
  const pass = (milliseconds) => {
    for (let passed = 0; passed < milliseconds; passed++) {
      now++;
      jest.advanceTimersByTime(1);
      const paint = asked;
      asked = null;
      if (!paint) continue;
      painted.push(now);
      paint();
      now += costs;
      jest.advanceTimersByTime(costs);
    }
  };
  const end = followed();
  const begun = now;
  for (let number = 0; now - begun < seconds * 1000; number++) {
    sources[0].onmessage({ data: JSON.stringify([[0, 0, `<p>${number}</p>`]]) });
    pass(every - costs);
  }
  end();
  for (const spy of spies) spy.mockRestore();
  // The first piece is painted when it comes, without a frame of its own.
  expect(painted[3] - begun).toBeLessThan(5 * every);
  const share = (painted.length * costs) / (now - begun);
  expect(share).toBeGreaterThan(0.035);
  expect(share).toBeLessThan(0.05);
});

test("a stream whose server stays away is asked for ever more seldom, and at once when the network is back", () => {
  const end = followed();
  for (let times = 0; times < 3; times++) sources[0].onerror();
  expect(sources[0].readyState).toBe(0);
  for (const wait of [2000, 4000, 8000, 16_000, 30_000, 30_000]) {
    const last = sources.at(-1);
    last.onerror();
    expect(last.readyState).toBe(Source.CLOSED);
    jest.advanceTimersByTime(wait - 1);
    expect(sources.at(-1)).toBe(last);
    jest.advanceTimersByTime(1);
    expect(sources.at(-1)).not.toBe(last);
  }
  const count = sources.length;
  sources.at(-1).onerror();
  window.dispatchEvent(new Event("online"));
  expect(sources.length).toBe(count + 1);
  end();
});
