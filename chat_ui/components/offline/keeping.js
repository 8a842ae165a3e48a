// Keeps copies of the conversations seen last: at most so many, and so many bytes. The server says for how long each may be
// kept, and whose it is.

import { drop, dropOthers, inTurn, nameOf, names } from "./copies.js";

const MOST = 20;
const MOST_BYTES = 20 * 1024 * 1024;
const WORKER = "/service-worker.js";
const OWNER = "x-owner-tag";
const SEEN = "x-seen";
const SIZE = "x-size";
const LANGUAGE = "content-language";
const NOT_MODIFIED = 304;
const GONE = 404;
// The server's alone: a copy has no other headers.
const KEPT_HEADERS = ["content-type", LANGUAGE, "content-security-policy", "etag", "x-title", "x-keep-until"];

const pageLanguage = () => document.documentElement.lang;

/** Have the service worker of the page's language begin, drop the copies of what is not there any more, and make those
 * of another language anew. */
export async function begin(address, pages) {
  const script = `${WORKER}?${new URLSearchParams({ language: pageLanguage() })}`;
  await navigator.serviceWorker.register(script, { updateViaCache: "none" });
  await inTurn(() => compare(address, pages));
  for (const path of await ofOtherLanguages()) await inTurn(() => renew(path, address, pages));
}

async function ofOtherLanguages() {
  const found = [];
  for (const name of await names()) {
    const cache = await caches.open(name);
    for (const { url } of await cache.keys())
      if ((await cache.match(url)).headers.get(LANGUAGE) !== pageLanguage()) found.push(new URL(url).pathname);
  }
  return found;
}

/** A copy is as old as before, and may be gone by now. */
async function renew(path, address, pages) {
  const former = await kept(path);
  if (former) await copy(path.slice(pages.length + 1), address, pages, former.headers.get(SEEN));
}

async function compare(address, pages) {
  const paths = [];
  for (const name of await names())
    for (const { url } of await (await caches.open(name)).keys()) paths.push(new URL(url).pathname);
  if (!paths.length) return;
  const ids = paths.map((path) => ["id", path.slice(pages.length + 1)]);
  const response = await fetch(`${address}kept?${new URLSearchParams(ids)}`, { credentials: "same-origin" });
  if (!response.ok || response.redirected) return;
  const { tag, there } = await response.json();
  await dropOthers(tag);
  for (const path of paths) if (!there.includes(path.slice(pages.length + 1))) await drop(path);
}

/** Keep a copy of the conversation as it is now. */
export const keep = (conversation, address, pages) =>
  inTurn(() => copy(conversation, address, pages, String(Date.now())));

async function copy(conversation, address, pages, seenAt) {
  const path = `${pages}/${conversation}`;
  const former = await kept(path);
  const response = await fetch(`${address}${conversation}/copy`, {
    credentials: "same-origin",
    cache: "no-store",
    headers: former ? { "If-None-Match": former.headers.get("etag") } : {},
  });
  if (response.redirected) return;
  if (response.status === GONE) await drop(path);
  const tag = response.headers.get(OWNER);
  const isSame = former !== undefined && response.status === NOT_MODIFIED;
  if (!tag || !(response.ok || isSame)) return;
  await dropOthers(tag);
  const cache = await caches.open(nameOf(tag));
  await cache.put(path, seen(response.headers, await (isSame ? former : response).blob(), seenAt));
  await makeRoom(cache);
}

async function kept(path) {
  for (const name of await names()) {
    const found = await (await caches.open(name)).match(path);
    if (found) return found;
  }
  return undefined;
}

function seen(headers, body, seenAt) {
  const own = Object.fromEntries(KEPT_HEADERS.map((name) => [name, headers.get(name) ?? "text/html"]));
  return new Response(body, { headers: { ...own, [SEEN]: seenAt, [SIZE]: String(body.size) } });
}

async function makeRoom(cache) {
  const copies = await Promise.all(
    (await cache.keys()).map(async (request) => {
      const { headers } = await cache.match(request);
      return { request, seen: Number(headers.get(SEEN)), size: Number(headers.get(SIZE)) };
    }),
  );
  let bytes = 0;
  for (const [place, { request, size }] of copies.sort((one, other) => other.seen - one.seen).entries()) {
    bytes += size;
    if (place >= MOST || bytes > MOST_BYTES) await cache.delete(request);
  }
}
