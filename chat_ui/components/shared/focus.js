// The one owner of where the focus goes when what has it goes away: a button that vanishes when it is pressed, a panel
// that closes, a part of the page that is shown anew. A browser would leave it on the body, at the top of the page.

import { useEffect } from "react";

// What is left of such a place takes the focus: itself where it can have it, else what is nearest in it and can.
const SCOPES =
  ".pager, .document-pages, .taking p, .question-text-frame, .fragment, .sources-panel, .conversation-list, [role=dialog]";
const FOCUSABLE = "button, a[href], input, select, textarea, summary, [tabindex]";

const openers = new WeakMap();
let held = null;
let wanted = null;
let watched = false;

const isGone = (element) => !element.isConnected || element.matches(":disabled, [inert] *, [hidden] *");
const nameOf = (element) =>
  element.dataset.focus ?? element.getAttribute("aria-label") ?? element.textContent.slice(0, 100);
const articles = () => [...document.querySelectorAll(".thread-content > article:not(.question-waiting)")];

// An element with what is needed to find its place again when it is gone.
function remembered(element) {
  const path = [];
  for (let place = element; place; place = place.parentElement) path.push(place);
  const article = element.closest("article");
  return {
    element,
    path,
    tag: element.localName,
    name: nameOf(element),
    article: article ? articles().indexOf(article) : -1,
  };
}

// What stands where it was and is called the same: the same thing, shown anew.
function twinOf({ tag, name, article }) {
  const place = article < 0 ? document : articles()[article];
  const twins = name && place ? [...place.querySelectorAll(tag)] : [];
  return twins.find((element) => nameOf(element) === name);
}

function focus(element) {
  element.focus({ preventScroll: true });
  return document.activeElement === element && !isGone(element);
}

function focusScope(place, gone) {
  if (isGone(place) || !place.matches(SCOPES)) return false;
  if (place.hasAttribute("tabindex")) return focus(place);
  const inside = [...place.querySelectorAll(FOCUSABLE)];
  const at = inside.indexOf(gone);
  const away = inside.map((element, index) => [Math.abs(index - at), element]);
  return away.sort(([one], [other]) => one - other).some(([, element]) => focus(element));
}

/** Go to where the next question is written; with a finger, whose keyboard would hide the answer, to the conversation. */
export function focusHome() {
  const home = matchMedia("(pointer: fine)").matches ? ".composer textarea" : ".thread";
  /** @type {HTMLElement | null} */ (document.querySelector(home))?.focus({ preventScroll: true });
}

// Whether something of the same name, or what is left around it, has the focus now.
function restore(lost) {
  const element = isGone(lost.element) ? twinOf(lost) : lost.element;
  const scope = element?.parentElement.closest(SCOPES);
  return Boolean(element) && (focus(element) || (Boolean(scope) && focusScope(scope, element)));
}

// A conversation that is shown anew is empty for a moment: what had the focus in it gets it back.
function lookForWanted() {
  if (wanted && (document.activeElement !== wanted.at || restore(wanted.lost))) wanted = null;
}

function lookAgain() {
  lookForWanted();
  if (!held || !isGone(held.element)) return;
  if (document.activeElement !== document.body && document.activeElement !== held.element) return;
  const lost = held;
  held = null;
  const opened = lost.path.map((place) => !place.isConnected && openers.get(place)).filter(Boolean);
  if (opened.some(restore)) return;
  if (opened.length === 0 && restore(lost)) return;
  if (!lost.path.some((place) => focusScope(place, lost.element))) focusHome();
  if (lost.article >= 0 && articles().length === 0) wanted = { lost, at: document.activeElement };
}

export function FocusKeeper() {
  useEffect(watch, []);
  return null;
}

// Once for all pages that come after one another: between two of them, what has the focus goes away too.
function watch() {
  if (watched) return;
  watched = true;
  document.addEventListener("focusin", (event) => {
    held = event.target === document.body ? null : remembered(event.target);
  });
  for (const own of ["keydown", "pointerdown"])
    document.addEventListener(own, () => (wanted = null), { capture: true });
  // Whoever points at the page's ground wants no focus.
  document.addEventListener("focusout", () =>
    setTimeout(() => {
      if (held && document.activeElement === document.body && !isGone(held.element)) held = null;
    }),
  );
  new MutationObserver(lookAgain).observe(document.body, {
    childList: true,
    subtree: true,
    attributes: true,
    attributeFilter: ["disabled", "hidden", "inert"],
  });
}

/** Have the focus go back to what has it now, once `region` is gone. */
export function rememberOpener(region) {
  const opener = document.activeElement;
  if (opener && opener !== document.body && !region.contains(opener)) openers.set(region, remembered(opener));
}

export const rememberDialogOpener = (event) => rememberOpener(event.target);

export function giveDialogFocusBack(event) {
  const opener = openers.get(event.target);
  if (document.activeElement === document.body && !(opener && restore(opener))) focusHome();
}
