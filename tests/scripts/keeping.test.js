import { afterEach, beforeEach, expect, setSystemTime, test } from "bun:test";
import { count, forget, forgetAll } from "../../chat_ui/components/offline/copies.js";
import { begin, keep } from "../../chat_ui/components/offline/keeping.js";
import { MemoryCaches } from "./caches.js";

const API = "/api/conversations/";
const PAGES = "/c";
const MB = 1024 * 1024;

/** What the server answers to each request, and the requests. */
let answers = [];
let asked = [];
let registered = [];

const copy = (body, { tag = "mine", etag = '"1"', status = 200, language = "en" } = {}) =>
  new Response(status === 304 ? null : body, {
    status,
    headers: {
      "x-owner-tag": tag,
      etag,
      "x-title": "Buoys",
      "x-keep-until": "9",
      "content-type": "text/html",
      "content-language": language,
    },
  });

const keepAs = (id, response) => {
  answers.push(response);
  return keep(id, API, PAGES);
};

const textOf = async (path) => {
  for (const name of (await caches.keys()).filter((one) => one.startsWith("chat-ui-kept-"))) {
    const found = await (await caches.open(name)).match(path);
    if (found) return found.text();
  }
  return undefined;
};

beforeEach(() => {
  answers = [];
  asked = [];
  registered = [];
  let turn = Promise.resolve();
  const request = (_name, act) => {
    turn = turn.then(act);
    return turn;
  };
  const register = async (script) => registered.push(script);
  Object.defineProperty(navigator, "locks", { value: { request }, configurable: true });
  Object.defineProperty(navigator, "serviceWorker", { value: { register }, configurable: true });
  const answer = async (address, options) => {
    asked.push([address, options]);
    return answers.shift();
  };
  Object.assign(window, { caches: new MemoryCaches() });
  Object.assign(globalThis, { caches: window.caches, fetch: answer });
});

afterEach(() => {
  document.documentElement.lang = "en";
});

test("a conversation is kept as it is seen, and told by its validator when it is seen again", async () => {
  await keepAs("one", copy("Red."));
  expect(await textOf("/c/one")).toBe("Red.");
  await keepAs("one", copy("", { status: 304 }));
  expect(asked[1][1].headers).toEqual({ "If-None-Match": '"1"' });
  expect(await textOf("/c/one")).toBe("Red.");
  await keepAs("one", copy("Green.", { etag: '"2"' }));
  expect(await textOf("/c/one")).toBe("Green.");
  expect(await count()).toBe(1);
});

test("the twenty seen last are kept, and no more bytes than there is room for", async () => {
  for (let number = 0; number < 22; number++) {
    setSystemTime(new Date(2026, 0, 1, 0, number));
    await keepAs(`${number}`, copy("Red."));
  }
  expect(await count()).toBe(20);
  expect([await textOf("/c/0"), await textOf("/c/1"), await textOf("/c/2")]).toEqual([undefined, undefined, "Red."]);
  setSystemTime(new Date(2026, 0, 2));
  const body = Object.defineProperty(new Blob(["x"]), "size", { value: 20 * MB - 40 });
  await keepAs("large", Object.assign(copy(""), { blob: async () => body }));
  expect(await count()).toBe(11);
  expect(await textOf("/c/21")).toBe("Red.");
  setSystemTime();
});

test("what belongs to somebody else goes as soon as another is seen here", async () => {
  await keepAs("one", copy("Red."));
  await keepAs("two", copy("Green.", { tag: "another" }));
  expect([await textOf("/c/one"), await textOf("/c/two")]).toEqual([undefined, "Green."]);
});

test.each([
  ["that is nobody's", copy("Red.", { tag: "" })],
  ["that is too long", copy("Too long", { status: 413 })],
  ["of a server that fails", copy("Sorry", { status: 503 })],
  ["of a page to sign in", Object.defineProperty(copy("Sign in"), "redirected", { value: true })],
])("a response %s is not kept", async (_what, response) => {
  await keepAs("one", response);
  expect(await count()).toBe(0);
});

test("a conversation that is gone takes its copy along", async () => {
  await keepAs("one", copy("Red."));
  await keepAs("one", new Response("", { status: 404 }));
  expect(await count()).toBe(0);
});

test("one that is deleted while it is copied is gone afterwards", async () => {
  let arrive;
  answers.push(
    new Promise((resolve) => {
      arrive = resolve;
    }),
  );
  const copying = keep("one", API, PAGES);
  const forgetting = forget("/c/one");
  arrive(copy("Red."));
  await Promise.all([copying, forgetting]);
  expect(await count()).toBe(0);
});

test("a person who clears the browser leaves nothing", async () => {
  await keepAs("one", copy("Red."));
  await forgetAll();
  expect(await caches.keys()).toEqual([]);
});

test("a new page drops what is not there any more, and asks nothing where nothing is kept", async () => {
  await begin(API, PAGES);
  expect(asked).toEqual([]);
  await keepAs("one", copy("Red."));
  await keepAs("two", copy("Green."));
  answers.push(Response.json({ tag: "mine", there: ["two"] }));
  await begin(API, PAGES);
  expect(asked.at(-1)[0]).toBe(`${API}kept?id=one&id=two`);
  expect([await textOf("/c/one"), await textOf("/c/two")]).toEqual([undefined, "Green."]);
  answers.push(Response.json({ tag: "another", there: [] }));
  await begin(API, PAGES);
  expect(await caches.keys()).toEqual([]);
});

test("the worker is asked for in the language of the page", async () => {
  document.documentElement.lang = "zh-Hans";
  await begin(API, PAGES);
  expect(registered).toEqual(["/service-worker.js?language=zh-Hans"]);
});

test("a page of another language makes the copies anew, which are as old as before, and each once", async () => {
  await keepAs("one", copy("Red."));
  const [name] = await caches.keys();
  const seen = async () => (await (await caches.open(name)).match("/c/one")).headers.get("x-seen");
  const before = await seen();
  document.documentElement.lang = "de";
  setSystemTime(new Date(Date.now() + 60_000));
  const there = () => answers.push(Response.json({ tag: "mine", there: ["one"] }));
  there();
  answers.push(copy("Rot.", { etag: '"2"', language: "de" }));
  await begin(API, PAGES);
  expect([await textOf("/c/one"), await seen()]).toEqual(["Rot.", before]);
  there();
  await begin(API, PAGES);
  expect(asked.map(([address]) => address)).toEqual([
    `${API}one/copy`,
    `${API}kept?id=one`,
    `${API}one/copy`,
    `${API}kept?id=one`,
  ]);
  setSystemTime();
});
