import { expect, test } from "bun:test";
import { MemoryCaches } from "./caches.js";

const FOLDER = `${import.meta.dir}/../../chat_ui/routes/offline`;
const GIVEN = 'const VERSION = "2"; const VIEW = "/offline"; const PAGES = "/c";';
const LATER = String(Date.now() + 60_000);
const KEPT = "chat-ui-kept-mine";

/** A worker that runs one of the scripts, with what it has kept, and a network that `fetch` is. */
async function begun(fetch, script = "service_worker.js") {
  const listeners = {};
  const caches = new MemoryCaches();
  const done = [];
  const registration = { unregister: async () => done.push("unregistered") };
  const self = {
    addEventListener: (name, listener) => {
      listeners[name] = listener;
    },
    skipWaiting: () => done.push("took over"),
    location: { origin: "http://localhost" },
    registration,
  };
  const source = GIVEN + (await Bun.file(`${FOLDER}/${script}`).text());
  new Function("self", "caches", "fetch", source)(self, caches, fetch);
  const happens = async (name, more = {}) => {
    const waited = [];
    let response;
    const respondWith = (promise) => {
      response = promise;
    };
    listeners[name]({ ...more, waitUntil: (promise) => waited.push(promise), respondWith });
    const answered = await response;
    await Promise.all(waited);
    return answered;
  };
  const open = (path, more = {}) => {
    const request = {
      url: `http://localhost${path}`,
      method: "GET",
      mode: "navigate",
      destination: "document",
      ...more,
    };
    return happens("fetch", { request });
  };
  const copied = async (path, until = LATER) =>
    (await caches.open(KEPT)).put(path, new Response(`copy of ${path}`, { headers: { "x-keep-until": until } }));
  return { caches, happens, open, copied, done };
}

const offline = async () => {
  throw new TypeError("Failed to fetch");
};
const list = async () => new Response("the list", { headers: { "x-version": "2" } });

test("without a network a page is its copy, and else the list of what is kept", async () => {
  let network = list;
  const { open, copied, happens } = await begun((...wanted) => network(...wanted));
  await happens("install");
  network = offline;
  await copied("/c/one");
  await copied("/c/old", "1");
  expect(await (await open("/c/one")).text()).toBe("copy of /c/one");
  expect(await (await open("/c/one/")).text()).toBe("copy of /c/one");
  for (const path of ["/", "/c/old", "/c/two"]) expect(await (await open(path)).text()).toBe("the list");
});

test.each([
  ["another address", "/api/conversations/", {}],
  ["a file", "/assets/page.js", { mode: "cors", destination: "script" }],
  ["a form", "/", { method: "POST" }],
  ["a frame", "/", { destination: "iframe" }],
  ["another origin", ".elsewhere.test/", {}],
])("%s does not pass through it", async (_what, path, more) => {
  const { open } = await begun(offline);
  expect(await open(path, more)).toBeUndefined();
});

test.each([
  ["the same person", true, new Response("", { headers: { "x-owner-tag": "mine" } })],
  ["another person", false, new Response("", { headers: { "x-owner-tag": "another" } })],
  ["a person who is new here", false, new Response("")],
  ["a page to sign in", false, { ok: false, type: "opaqueredirect", status: 0, headers: new Headers() }],
  ["a person who is signed out", false, new Response("", { status: 401 })],
  ["a server that fails", true, new Response("", { status: 500 })],
])("after a response for %s the copies are still there: %p", async (_whom, isKept, response) => {
  const { open, copied, caches } = await begun(async () => response);
  await copied("/c/one");
  expect(await open("/")).toBe(response);
  expect((await caches.keys()).includes(KEPT)).toBe(isKept);
});

test.each([502, 503, 504])("where a proxy says that the server is away (%i), a page is its copy", async (status) => {
  let network = list;
  const { open, copied, happens, caches } = await begun((...wanted) => network(...wanted));
  await happens("install");
  network = async () => new Response("Bad Gateway", { status });
  await copied("/c/one");
  expect(await (await open("/c/one")).text()).toBe("copy of /c/one");
  expect(await (await open("/c/two")).text()).toBe("the list");
  expect(await caches.keys()).toContain(KEPT);
});

test.each([
  ["of another version", new Response("", { headers: { "x-version": "1" } })],
  ["to sign in", Object.defineProperty(await list(), "redirected", { value: true })],
  ["of an error", new Response("", { status: 500, headers: { "x-version": "2" } })],
])("a page %s is not taken for the list", async (_what, response) => {
  const { happens, caches } = await begun(async () => response);
  expect(happens("install")).rejects.toThrow();
  expect(await caches.keys()).toEqual([]);
});

test("a new version takes over and drops the former one's page, and keeps the copies", async () => {
  const { happens, caches, copied, done } = await begun(list);
  await caches.open("chat-ui-shell-1");
  await caches.open("of-another-app");
  await copied("/c/one");
  await happens("install");
  await happens("activate");
  expect(await caches.keys()).toEqual(["of-another-app", KEPT, "chat-ui-shell-2"]);
  expect(done).toEqual(["took over"]);
});

test("the worker of a server that keeps nothing takes back everything and leaves", async () => {
  const { happens, caches, copied, done } = await begun(offline, "service_worker_off.js");
  await caches.open("of-another-app");
  await caches.open("chat-ui-shell-1");
  await copied("/c/one");
  await happens("install");
  await happens("activate");
  expect(await caches.keys()).toEqual(["of-another-app"]);
  expect(done).toEqual(["took over", "unregistered"]);
});
