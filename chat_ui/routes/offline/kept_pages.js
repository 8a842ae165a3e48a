// The pages that stand in for the app while there is no network: the list of the conversations that this browser has kept,
// the time at which it saw one, and the way back to the app.

const KEPT = "chat-ui-kept-";
const HEALTH = "/health";
const LOOK_AGAIN = 5000;

/** @type {(headers: Headers, name: string) => number} */
const numberIn = (headers, name) => Number(headers.get(name));

/** @type {(moment: number) => string} */
const inWords = (moment) => new Date(moment).toLocaleString("en", { dateStyle: "medium", timeStyle: "short" });

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
  const own = found.find(({ path }) => path === location.pathname);
  if (!own) return;
  document.querySelector("time").textContent = inWords(own.seen);
  show(".when");
}

// Any answer of the server will do, also one that leads to where people sign in.
const goBack = () =>
  fetch(HEALTH, { cache: "no-store", redirect: "manual" }).then(
    ({ ok, type }) => {
      if (ok || type === "opaqueredirect") location.reload();
    },
    () => {},
  );

const theme = localStorage.getItem("theme");
if (theme) document.documentElement.dataset.theme = theme;
fill();
window.addEventListener("online", goBack);
setInterval(goBack, LOOK_AGAIN);
