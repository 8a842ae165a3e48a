import { expect, jest, test } from "bun:test";
import { follow } from "../../chat_ui/components/thread/answer_text.jsx";

test("a stream whose server stays away is asked for ever more seldom, and at once when the network is back", () => {
  jest.useFakeTimers();
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
  globalThis.EventSource = /** @type {any} */ (Source);
  const nothing = () => {};
  const recital = { goOn: nothing, end: nothing };
  const end = follow(document.createElement("div"), { address: "/a", recital, onWhole: nothing, onText: nothing });
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
  jest.useRealTimers();
});
