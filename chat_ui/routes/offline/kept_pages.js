// The pages that stand in for the app while there is no network: the list of the conversations that this browser has kept,
// the time at which it saw one, and the way back to the app.

const KEPT = "chat-ui-kept-";
const LOOK_AGAIN = 5000;
// Milliseconds that the service worker waits for a page as well.
const PATIENCE = 10_000;
const FAILED = 500;

/** @type {(headers: Headers, name: string) => number} */
const numberIn = (headers, name) => Number(headers.get(name));

/** @type {(moment: number) => string} */
const inWords = (moment) =>
  new Date(moment).toLocaleString(`${document.documentElement.lang}-u-nu-latn`, {
    dateStyle: "medium",
    timeStyle: "short",
  });

/** The copies that are kept, seen last first; those whose time is over are dropped. */
async function copies() {
  const found = [];
  for (const name of (await caches.keys()).filter((one) => one.startsWith(KEPT))) {
    const cache = await caches.open(name);
    for (const request of await cache.keys()) {
      const { headers } = await cache.match(request);
      if (numberIn(headers, "x-keep-until") < Date.now()) await cache.delete(request);
      else {
        const path = new URL(request.url).pathname;
        found.push({ path, title: decodeURIComponent(headers.get("x-title")), seen: numberIn(headers, "x-seen") });
      }
    }
  }
  return found.sort((one, other) => other.seen - one.seen);
}

/** @type {(selector: string) => void} */
const show = (selector) => document.querySelector(selector).removeAttribute("hidden");

function entry({ path, title, seen }) {
  const link = document.createElement("a");
  const words = document.createElement("span");
  const when = document.createElement("time");
  link.href = path;
  words.dir = "auto";
  words.textContent = title;
  when.textContent = inWords(seen);
  link.append(words, when);
  const item = document.createElement("li");
  item.append(link);
  return item;
}

async function fill() {
  const found = await copies();
  const list = document.querySelector(".kept");
  if (list) {
    list.replaceChildren(...found.map(entry));
    if (location.pathname !== "/") show(".missing");
    if (!found.length) show(".nothing");
    return;
  }
  const own = found.find(({ path }) => path === location.pathname.replace(/\/$/, ""));
  if (!own) return;
  document.querySelector("time").textContent = inWords(own.seen);
  show(".when");
}

// The page itself is looked for, past the service worker: it may be away or late where the server is well. Any answer will
// do that is no failure, also one that leads to where people sign in.
async function isThere() {
  const { status, body } = await fetch(location.href, {
    cache: "no-store",
    headers: { Accept: "text/html" },
    redirect: "manual",
    signal: AbortSignal.timeout(PATIENCE),
  });
  body?.cancel();
  return status < FAILED;
}

let isLooking = false;
let next = 0;

/** Look whether the page is there, one look at a time; once it is, nothing gets in the way of its coming. */
async function look() {
  if (isLooking) return;
  isLooking = true;
  clearTimeout(next);
  if (await isThere().catch(() => false)) {
    location.reload();
    return;
  }
  isLooking = false;
  next = setTimeout(look, LOOK_AGAIN);
}

const theme = localStorage.getItem("theme");
if (theme) document.documentElement.dataset.theme = theme;
fill();
window.addEventListener("online", look);
next = setTimeout(look, LOOK_AGAIN);
