import { expect, test } from "bun:test";

const SCRIPT = await Bun.file(`${import.meta.dir}/../../chat_ui/routes/offline/kept_pages.js`).text();
const hung = () => new Promise(() => {});
const failing = async () => {
  throw new TypeError("Failed to fetch");
};

/** A page that stands in for the app: `looks` tells what each look at the server finds. */
async function standingIn(...looks) {
  const seen = { asked: [], reloads: 0, waits: [], timeLimits: [] };
  const listeners = {};
  const window = {
    addEventListener: (name, listener) => {
      listeners[name] = listener;
    },
  };
  const location = {
    href: "http://localhost/c/one",
    pathname: "/c/one",
    reload: () => {
      seen.reloads += 1;
    },
  };
  const fetch = (address, { signal }) => {
    seen.asked.push(address);
    const ended = new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    return Promise.race([looks.shift()(), ended]);
  };
  const AbortSignal = {
    timeout: () => {
      const limit = new AbortController();
      seen.timeLimits.push(limit);
      return limit.signal;
    },
  };
  const given = {
    caches: { keys: async () => [] },
    document: { querySelector: () => undefined },
    localStorage: { getItem: () => null },
    setTimeout: (act) => seen.waits.push(act),
    clearTimeout: (number) => delete seen.waits[number - 1],
    setInterval: () => {
      throw new Error("looks could overtake each other");
    },
    ...{ window, location, fetch, AbortSignal },
  };
  new Function(...Object.keys(given), SCRIPT)(...Object.values(given));
  const settled = () => new Promise((resolve) => setImmediate(resolve));
  const wait = async () => {
    const due = seen.waits.splice(0).filter(Boolean);
    for (const act of due) act();
    await settled();
    return due.length;
  };
  const online = async () => {
    listeners.online();
    await settled();
  };
  return { ...{ seen, wait, online, settled }, reloads: () => seen.reloads };
}

const answer = (status) => async () => new Response("", { status });
const signIn = async () => ({ type: "opaqueredirect", status: 0, body: null });

test.each([
  ["the page", answer(200), 1],
  ["a way to sign in", signIn, 1],
  ["that the person is signed out", answer(403), 1],
  ["that the server is away", answer(502), 0],
  ["no network", failing, 0],
])("a look that finds %s leads back or not", async (_what, look, reloads) => {
  const page = await standingIn(look);
  await page.wait();
  expect(page.seen.asked).toEqual(["http://localhost/c/one"]);
  expect(page.reloads()).toBe(reloads);
});

test("a page that is on its way is not asked for again", async () => {
  const page = await standingIn(answer(200));
  await page.wait();
  expect(await page.wait()).toBe(0);
  await page.online();
  expect(page.reloads()).toBe(1);
});

test("a look follows only when the last has ended, and none lasts for ever", async () => {
  const page = await standingIn(hung, failing, answer(200));
  await page.wait();
  await page.online();
  expect(await page.wait()).toBe(0);
  expect(page.seen.asked.length).toBe(1);
  page.seen.timeLimits[0].abort();
  await page.settled();
  await page.online();
  expect(await page.wait()).toBe(1);
  expect(page.reloads()).toBe(1);
});
