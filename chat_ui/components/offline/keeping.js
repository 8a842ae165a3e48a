// Keeps copies of the conversations seen last: at most so many, and so many bytes. The server says for how long each may be
// kept, and whose it is.

import { drop, dropOthers, inTurn, nameOf, names } from "./copies.js";

const MOST = 20;
const MOST_BYTES = 20 * 1024 * 1024;
const WORKER = "/service-worker.js";
const OWNER = "x-owner-tag";
const SEEN = "x-seen";
const SIZE = "x-size";
const NOT_MODIFIED = 304;
const GONE = 404;
// The server's alone: a copy has no other headers.
const KEPT_HEADERS = ["content-type", "content-security-policy", "etag", "x-title", "x-keep-until"];

/** Have the service worker begin, and drop the copies of what is not there any more. */
export async function begin(address, pages) {
  await navigator.serviceWorker.register(WORKER, { updateViaCache: "none" });
  await inTurn(() => compare(address, pages));
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
  inTurn(async () => {
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
    await cache.put(path, await seen(response.headers, await (isSame ? former : response).blob()));
    await makeRoom(cache);
  });

async function kept(path) {
  for (const name of await names()) {
    const found = await (await caches.open(name)).match(path);
    if (found) return found;
  }
  return undefined;
}

function seen(headers, body) {
  const own = Object.fromEntries(KEPT_HEADERS.map((name) => [name, headers.get(name) ?? "text/html"]));
  return new Response(body, { headers: { ...own, [SEEN]: String(Date.now()), [SIZE]: String(body.size) } });
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
