// The service worker of a server that keeps nothing in browsers: it takes back a former one, and what that has kept.

const worker = /** @type {any} */ (self);

async function leave() {
  const names = await caches.keys();
  await Promise.all(names.filter((name) => name.startsWith("chat-ui-")).map((name) => caches.delete(name)));
  await worker.registration.unregister();
}

worker.addEventListener("install", () => worker.skipWaiting());
worker.addEventListener("activate", (event) => event.waitUntil(leave()));
