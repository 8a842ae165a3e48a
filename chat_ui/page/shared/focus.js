// Restores the focus when its element is removed: a pressed button, a closed panel, a part that is rendered again. A
// browser would move the focus to the body, at the top of the page.

import { useEffect } from "react";

// The nearest remaining container takes the focus: itself if it can, else the nearest focusable element in it.
const SCOPES =
  ".pager, .document-pages, .question-text-frame, .request, .fragment, .side-panel, .conversation-list, [role=dialog]";
const FOCUSABLE = "button, a[href], input, select, textarea, summary, [tabindex]";

const openers = new WeakMap();
let held = null;
let wanted = null;
let watched = false;

const isGone = (element) => !element.isConnected || element.matches(":disabled, [inert] *, [hidden] *");
const nameOf = (element) =>
  element.dataset.focus ?? element.getAttribute("aria-label") ?? element.textContent.slice(0, 100);
const articles = () => [...document.querySelectorAll(".thread-content > article:not(.question-waiting)")];

// An element, and the data to find its position after its removal.
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

// An element at the same position with the same name: the same element after another render.
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

/** Focus the composer, or on a touch screen the conversation, which a keyboard would hide. */
export function focusHome() {
  const home = matchMedia("(pointer: fine)").matches ? ".composer textarea" : ".thread";
  /** @type {HTMLElement | null} */ (document.querySelector(home))?.focus({ preventScroll: true });
}

// Whether an element of the same name, or a remaining container of it, now has the focus.
function restore(lost) {
  const element = isGone(lost.element) ? twinOf(lost) : lost.element;
  const scope = element?.parentElement.closest(SCOPES);
  return Boolean(element) && (focus(element) || (Boolean(scope) && focusScope(scope, element)));
}

// A conversation is empty for a moment during a new render; then the focus returns to its element.
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

// A menu returns the focus to its button, which a pointer does not focus first.
function rememberButton(menu) {
  const button = menu?.id && document.querySelector(`[aria-controls="${CSS.escape(menu.id)}"]`);
  if (button && !openers.has(menu)) openers.set(menu, remembered(button));
}

export function FocusRestorer() {
  useEffect(watch, []);
  return null;
}

// Once for all pages of a visit: between two pages the focused element is removed too.
function watch() {
  if (watched) return;
  watched = true;
  document.addEventListener("focusin", (event) => {
    const place = /** @type {Element} */ (event.target);
    rememberButton(place.closest("[role=menu]"));
    held = event.target === document.body ? null : remembered(event.target);
  });
  for (const own of ["keydown", "pointerdown"])
    document.addEventListener(own, () => (wanted = null), { capture: true });
  // A click on the page's background removes the focus on purpose.
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

/** Return the focus to the current element, once `region` is gone. */
export function rememberOpener(region) {
  const opener = document.activeElement;
  if (opener && opener !== document.body && !region.contains(opener)) openers.set(region, remembered(opener));
}

export const rememberDialogOpener = (event) => rememberOpener(event.target);

export function giveDialogFocusBack(event) {
  const opener = openers.get(event.target);
  if (document.activeElement === document.body && !(opener && restore(opener))) focusHome();
}

/** Prevent a menu's late focus return if an act has moved the focus already. */
export function leaveFocus(event) {
  if (document.activeElement !== document.body) event.preventDefault();
}
