// Removes the service worker that an earlier version registered, and its conversations in the browser. Without a
// handler of `fetch`, open tabs go on without it.

const worker = /** @type {any} */ (self);
const OWN = /^chat-ui-(?:shell|kept)-/;

async function leave() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => OWN.test(name)).map((name) => caches.delete(name)));
  await worker.registration.unregister();
}

worker.addEventListener("install", () => worker.skipWaiting());
worker.addEventListener("activate", (event) => event.waitUntil(leave()));
