// What a browser does with the page where there is no network: it shows what it has kept. The server puts VERSION, VIEW
// (the address of the list of what is kept, in one language) and PAGES (the path of conversations) in front.
//
// The built page is not kept: without its socket it could do nothing, and a build that is gone would ask for files that
// are gone. Only the navigation to a page passes through here; whatever else the page asks for does not.

const worker = /** @type {any} */ (self);
const SHELL = `chat-ui-shell-${VERSION}`;
const SHELLS = "chat-ui-shell-";
const KEPT = "chat-ui-kept-";
const OWNER = "x-owner-tag";
const PATIENCE = 10_000;
const SIGNED_OUT = [401, 403];
// A proxy says so where the server is away.
const AWAY = [502, 503, 504];
const PASSING = ["cors", "no-cors", "same-origin"];

const isPage = ({ method, mode, destination, url }) => {
  const { origin, pathname } = new URL(url);
  const isOurs = origin === worker.location.origin && (pathname === "/" || pathname.startsWith(`${PAGES}/`));
  return isOurs && method === "GET" && mode === "navigate" && destination === "document";
};

async function dropCaches(isDropped) {
  const names = await caches.keys();
  await Promise.all(names.filter(isDropped).map((name) => caches.delete(name)));
}

async function prepare() {
  const response = await fetch(VIEW, { cache: "no-store" });
  // Another server may answer, or a page to sign in.
  if (!response.ok || response.redirected || response.headers.get("x-version") !== VERSION)
    throw new Error("The page for when there is no network is not there.");
  await (await caches.open(SHELL)).put(VIEW, response);
}

async function begin() {
  await dropCaches((name) => name.startsWith(SHELLS) && name !== SHELL);
  await worker.registration.navigationPreload?.enable();
}

/** The copy of the page at this path, while it may be kept. */
async function copyOf(path) {
  for (const name of (await caches.keys()).filter((one) => one.startsWith(KEPT))) {
    const copy = await (await caches.open(name)).match(path);
    if (copy && Number(copy.headers.get("x-keep-until")) > Date.now()) return copy;
  }
  return undefined;
}

const view = async ({ url }) =>
  (await copyOf(new URL(url).pathname.replace(/\/$/, ""))) ??
  (await caches.match(VIEW, { cacheName: SHELL })) ??
  Response.error();

/** Drop what belongs to anybody but the person whom this response was made for. */
async function heed({ ok, type, status, headers }) {
  if (!ok && type !== "opaqueredirect" && !SIGNED_OUT.includes(status)) return;
  const own = KEPT + headers.get(OWNER);
  await dropCaches((name) => name.startsWith(KEPT) && name !== own);
}

async function fromServer(event) {
  return (await event.preloadResponse) ?? fetch(event.request);
}

async function answer(event) {
  const coming = fromServer(event);
  event.waitUntil(coming.then(heed, () => {}));
  let waiting;
  const late = new Promise((resolve) => {
    waiting = setTimeout(resolve, PATIENCE);
  });
  try {
    const response = await Promise.race([coming, late]);
    return !response || AWAY.includes(response.status) ? view(event.request) : response;
  } catch {
    return view(event.request);
  } finally {
    clearTimeout(waiting);
  }
}

/** Where a browser can be told so, nothing but navigations comes to this worker, or waits for it. */
async function letPass(event) {
  const condition = { or: PASSING.map((requestMode) => ({ requestMode })) };
  await event.addRoutes?.([{ condition, source: "network" }]);
}

worker.addEventListener("install", (event) => {
  worker.skipWaiting();
  event.waitUntil(Promise.all([prepare(), letPass(event).catch(() => {})]));
});
worker.addEventListener("activate", (event) => event.waitUntil(begin()));
worker.addEventListener("fetch", (event) => {
  if (isPage(event.request)) event.respondWith(answer(event));
});
