// The copies of conversations in this browser, in a cache that is named after their owner's tag. Tabs take turns, so that a
// conversation that is deleted while it is being copied is gone afterwards.

const KEPT = "chat-ui-kept-";
const TURN = "chat-ui-kept";

/** @template T @param {() => Promise<T>} act @returns {Promise<T>} */
export const inTurn = (act) => /** @type {any} */ (navigator.locks.request(TURN, act));

/** Where nobody but the page's own person sees it, and the browser can keep anything. */
export const canKeep = () =>
  window.top === window && "serviceWorker" in navigator && "caches" in window && "locks" in navigator;

/** The name of the cache for a tag. */
export const nameOf = (tag) => KEPT + tag;

/** The names of all such caches. */
export const names = async () => (await caches.keys()).filter((name) => name.startsWith(KEPT));

/** Drop every copy at this path. */
export async function drop(path) {
  for (const name of await names()) await (await caches.open(name)).delete(path);
}

/** Drop the copies of everybody but the owner of this tag. */
export async function dropOthers(tag) {
  for (const name of await names()) if (name !== nameOf(tag)) await caches.delete(name);
}

/** Forget the copy of a conversation that is deleted. */
export const forget = async (path) => canKeep() && inTurn(() => drop(path));

/** Forget all copies. */
export const forgetAll = async () => canKeep() && inTurn(() => dropOthers(""));

/** How many copies there are. */
export async function count() {
  let found = 0;
  for (const name of await names()) found += (await (await caches.open(name)).keys()).length;
  return found;
}
