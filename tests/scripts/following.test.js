import { afterEach, beforeEach, expect, jest, spyOn, test } from "bun:test";
import { openEarly } from "../../chat_ui/page/thread/early_stream.js";
import { follow } from "../../chat_ui/page/thread/answer_text.jsx";
import { settled } from "./rendering.js";

const nothing = () => {};
const sources = [];

class Source extends EventTarget {
  static CLOSED = 2;
  readyState = 0;
  constructor(address) {
    super();
    this.address = address;
    sources.push(this);
  }
  close() {
    this.readyState = Source.CLOSED;
  }
}

function followed(address = "/a", root = document.createElement("div"), onComplete = (_status) => {}) {
  const announced = { goOn: nothing, end: nothing };
  return follow(root, { address, announced, onComplete, onText: nothing });
}

const open = () => sources.filter(({ readyState }) => readyState !== Source.CLOSED);

/** The stream is refused, and the document of the answer asked for in its place; returns what answers that. */
function refuse() {
  const { promise, resolve } = Promise.withResolvers();
  const asking = spyOn(globalThis, "fetch").mockReturnValue(/** @type {any} */ (promise));
  sources.at(-1).close();
  sources.at(-1).onerror();
  asking.mockRestore();
  return async (status, headers) => {
    resolve(new Response("<div><p>Red.</p></div>", { status, headers: /** @type {any} */ (headers) }));
    await settled();
    jest.advanceTimersByTime(60_000);
  };
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

test("an answer that is not shown any more is followed by no stream, whatever its document says", async () => {
  for (const answer of [[200, { "x-status": "running" }], [404]]) {
    const end = followed();
    const count = sources.length;
    const give = refuse();
    end();
    await give(...answer);
    expect([sources.length, open()]).toEqual([count, []]);
  }
});

test("an answer is followed by one stream, also where its document comes after the network is back", async () => {
  const end = followed();
  const give = refuse();
  window.dispatchEvent(new Event("online"));
  await give(200, { "x-status": "running" });
  expect(open()).toEqual([sources.at(-1)]);
  end();
  expect(open()).toEqual([]);
});

test("an answer that goes on is followed by another stream, and one that has ended is shown as it is", async () => {
  const root = document.createElement("div");
  const end = followed("/a", root);
  await refuse()(200, { "x-status": "running" });
  expect(open()).toHaveLength(1);
  await refuse()(200, { "x-status": "finished" });
  expect([open(), root.textContent]).toEqual([[], "Red."]);
  end();
});

test("a stream that was silent while the page was hidden or the machine slept is opened anew", () => {
  const end = followed();
  const seen = () => document.dispatchEvent(new Event("visibilitychange"));
  seen();
  expect(sources).toHaveLength(1);
  const now = spyOn(performance, "now").mockReturnValue(performance.now() + 5001);
  seen();
  expect([sources.length, open()]).toEqual([2, [sources[1]]]);
  now.mockRestore();
  end();
});

test("what turns out to be none of the answer is taken from it", () => {
  const root = document.createElement("div");
  const end = followed("/a", root);
  const tell = (...changes) => {
    sources[0].onmessage({ data: JSON.stringify(changes) });
    jest.advanceTimersByTime(10_000);
  };
  tell([0, 0, "<p>Or green?</p>"], [1, 0, "<p>Two"]);
  tell([0], [0, 0, "<p>Red.</p>"]);
  expect(root.textContent).toBe("Red.");
  end();
});

test("the stream that was opened with the question brings all that it had before the answer was on the page", () => {
  const root = document.createElement("div");
  const address = `/answers/here.${openEarly("/answers", "here")}`;
  expect(sources[0].address).toBe(`${address}/stream`);
  sources[0].dispatchEvent(new MessageEvent("message", { data: JSON.stringify([[0, 0, "<p>Red.</p>"]]) }));
  const end = followed(address, root);
  expect([root.textContent, sources.length]).toEqual(["Red.", 1]);
  jest.advanceTimersByTime(10_000);
  expect(open()).toHaveLength(1);
  end();
});

test("an answer that was over before it was on the page has ended there", () => {
  const address = `/answers/here.${openEarly("/answers", "here")}`;
  sources[0].dispatchEvent(new MessageEvent("end", { data: "finished" }));
  const ends = [];
  followed(address, document.createElement("div"), (status) => ends.push(status))();
  expect([ends, open()]).toEqual([["finished"], []]);
});

test("a stream that was opened with a question which was refused is closed", () => {
  openEarly("/answers", "here");
  jest.advanceTimersByTime(4000);
  expect(open()).toEqual([]);
  expect([openEarly("/answers", ""), sources.length]).toEqual(["", 1]);
});
