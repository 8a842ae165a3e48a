import { afterEach, beforeEach, expect, jest, spyOn, test } from "bun:test";
import { openEarly } from "../../chat_ui/page/thread/early_stream.js";
import { follow } from "../../chat_ui/page/thread/answer_text.jsx";
import { settled } from "./rendering.js";

const nothing = () => {};
const sources = [];

class Source extends EventTarget {
  static OPEN = 1;
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

/** Refuse the stream, so that the page fetches the document. Returns the function that answers this. */
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

test("the first words are painted at once, and later ones use 4 % of the time", () => {
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
  // The first piece is painted at once, without waiting for a frame.
  expect(painted[3] - begun).toBeLessThan(5 * every);
  const share = (painted.length * costs) / (now - begun);
  expect(share).toBeGreaterThan(0.035);
  expect(share).toBeLessThan(0.05);
});

test("a stream is retried with growing pauses, and at once when online", () => {
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

test("a removed answer is not followed", async () => {
  for (const answer of [[200, { "x-status": "running" }], [404]]) {
    const end = followed();
    const count = sources.length;
    const give = refuse();
    end();
    await give(...answer);
    expect([sources.length, open()]).toEqual([count, []]);
  }
});

test("an answer is followed by one stream, also after a late document", async () => {
  const end = followed();
  const give = refuse();
  window.dispatchEvent(new Event("online"));
  await give(200, { "x-status": "running" });
  expect(open()).toEqual([sources.at(-1)]);
  end();
  expect(open()).toEqual([]);
});

test("a continued answer is followed by another stream", async () => {
  const root = document.createElement("div");
  const end = followed("/a", root);
  await refuse()(200, { "x-status": "running" });
  expect(open()).toHaveLength(1);
  await refuse()(200, { "x-status": "finished" });
  expect([open(), root.textContent]).toEqual([[], "Red."]);
  end();
});

test("a stream silent during sleep or in a hidden page is reopened", () => {
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

test("revised text is removed from the answer", () => {
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

test("a stream opened with the question keeps its early frames", () => {
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

test("an answer that ended before its display is shown as ended", () => {
  const address = `/answers/here.${openEarly("/answers", "here")}`;
  sources[0].dispatchEvent(new MessageEvent("end", { data: "finished" }));
  const ends = [];
  followed(address, document.createElement("div"), (status) => ends.push(status))();
  expect([ends, open()]).toEqual([["finished"], []]);
});

test("the stream of an ended answer is closed by the server", () => {
  followed();
  sources[0].readyState = Source.OPEN;
  sources[0].dispatchEvent(new MessageEvent("end", { data: "finished" }));
  expect(open()).toEqual(sources);
  sources[0].onerror();
  expect([open(), sources.length]).toEqual([[], 1]);
});

test("the stream of a refused question is closed", () => {
  openEarly("/answers", "here");
  jest.advanceTimersByTime(4000);
  expect(open()).toEqual([]);
  expect([openEarly("/answers", ""), sources.length]).toEqual(["", 1]);
});
