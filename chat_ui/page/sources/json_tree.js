// Collapsible JSON: a part is built when opened, so its size does not matter. The search covers every part.

import { t, tn } from "../languages/language.js";
import { element } from "../shared/element.js";
import { announce } from "../announcing/announcer.jsx";

const PORTION = 100;
const MOST_HITS = 100;
const SHOWN_TEXT = 2000;
const TURN = 12;

// TypeScript does not know the source texts of numbers yet, and older browsers round the numbers.
const Numbers = /** @type {any} */ (JSON);

const isObject = (value) => value !== null && typeof value === "object" && !Numbers.isRawJSON?.(value);

const asSent = (_name, value, context) =>
  typeof value === "number" && context && Numbers.rawJSON ? Numbers.rawJSON(context.source) : value;

const unfolding = (textContent, onclick) =>
  element("button", { type: "button", className: "unfold", textContent, onclick });

function goTo(place) {
  place.tabIndex = -1;
  place.focus({ preventScroll: true });
}

function leaf(value) {
  if (typeof value !== "string") return element("code", { textContent: JSON.stringify(value) });
  const text = element("code", { dir: "auto", textContent: JSON.stringify(value.slice(0, SHOWN_TEXT)) });
  if (value.length <= SHOWN_TEXT) return text;
  const more = unfolding(t("Show all {length} characters", { length: value.length }), () => {
    text.textContent = JSON.stringify(value);
    goTo(text);
    more.remove();
  });
  return element("span", {}, text, " ", more);
}

const entriesOf = (value) => (Array.isArray(value) ? value.map((item, index) => [index, item]) : Object.entries(value));

function fill(list, entries, from) {
  for (const [name, value] of entries.slice(from, from + PORTION)) list.append(node(name, value));
  const rest = entries.length - from - PORTION;
  if (rest <= 0) return;
  const more = unfolding(t("Show {portion} more of {rest}", { portion: Math.min(rest, PORTION), rest }), () => {
    fill(list, entries, from + PORTION);
    goTo(item.nextElementSibling);
    item.remove();
  });
  const item = element("li", {}, more);
  list.append(item);
}

function node(name, value) {
  const key = element("span", { className: "json-key", textContent: `${name}: ` });
  if (!isObject(value)) return element("li", {}, key, leaf(value));
  const entries = entriesOf(value);
  const count = Array.isArray(value) ? `[${entries.length}]` : `{${entries.length}}`;
  const details = element("details", {}, element("summary", {}, key, count));
  const list = element("ul", { className: "json-list" });
  details.append(list);
  details.addEventListener("toggle", () => details.open && !list.hasChildNodes() && fill(list, entries, 0));
  return element("li", {}, details);
}

// The paths and values that contain `wanted`; null once `isStale` reports a changed search. The search yields to the
// page, as megabytes take longer than a frame.
async function search(value, wanted, isStale) {
  const hits = [];
  const waiting = [["", value]];
  let pause = performance.now() + TURN;
  // The list grows during the walk: deeper values come later.
  for (const [path, current] of waiting) {
    if (hits.length === MOST_HITS) break;
    if (performance.now() > pause) {
      await new Promise((resolve) => setTimeout(resolve));
      if (isStale()) return null;
      pause = performance.now() + TURN;
    }
    const name = path.slice(path.lastIndexOf("/") + 1).toLowerCase();
    const isParent = isObject(current);
    const text = isParent ? "" : typeof current === "string" ? current : JSON.stringify(current);
    if (name.includes(wanted) || text.toLowerCase().includes(wanted)) hits.push([path, current]);
    if (isParent) for (const [key, item] of entriesOf(current)) waiting.push([`${path}/${key}`, item]);
  }
  return hits;
}

/** Show the JSON `text` in `place`, with a search and a copy button. */
export function showJson(place, text) {
  const value = Numbers.parse(text, asSent);
  const found = element("div", { role: "status", className: "json-found" });
  const field = element("input", {
    type: "search",
    className: "input",
    placeholder: t("Search"),
    ariaLabel: t("Search JSON"),
    autocomplete: "off",
    autocapitalize: "none",
    spellcheck: false,
  });
  const copy = element("button", { type: "button", className: "button", textContent: t("Copy JSON") });
  copy.addEventListener("click", () =>
    navigator.clipboard
      .writeText(JSON.stringify(value, null, 2))
      .then(() => announce(t("Copied.")))
      .catch(() => announce(t("The browser blocked copying."))),
  );
  let waiting = 0;
  field.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(async () => {
      const typed = field.value;
      const wanted = typed.trim().toLowerCase();
      const hits = wanted ? await search(value, wanted, () => field.value !== typed || !field.isConnected) : [];
      if (!hits) return;
      const words =
        hits.length === MOST_HITS
          ? t("The first {count} found", { count: MOST_HITS })
          : tn("1 found", "{count} found", hits.length);
      const list = element("ul", { className: "json-list" }, ...hits.map(([path, hit]) => node(path || "/", hit)));
      found.replaceChildren(...(wanted ? [element("p", { textContent: words }), list] : []));
    }, 150);
  });
  const list = element("ul", { className: "json-list" });
  fill(list, entriesOf(value), 0);
  place.append(
    element("div", { className: "json" }, element("div", { className: "json-bar" }, field, copy), found, list),
  );
}
