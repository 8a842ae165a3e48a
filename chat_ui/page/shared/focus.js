// The one owner of the focus when its element goes away: a button that vanishes when pressed, a panel that closes, a part of
// the page that is rendered anew. A browser would leave the focus on the body, at the top of the page.

import { useEffect } from "react";

// The nearest remaining container takes the focus: itself if it can, else the nearest focusable element in it.
const SCOPES =
  ".pager, .document-pages, .archive-tools p, .question-text-frame, .fragment, .side-panel, .conversation-list, [role=dialog]";
const FOCUSABLE = "button, a[href], input, select, textarea, summary, [tabindex]";

const openers = new WeakMap();
let held = null;
let wanted = null;
let watched = false;

const isGone = (element) => !element.isConnected || element.matches(":disabled, [inert] *, [hidden] *");
const nameOf = (element) =>
  element.dataset.focus ?? element.getAttribute("aria-label") ?? element.textContent.slice(0, 100);
const articles = () => [...document.querySelectorAll(".thread-content > article:not(.question-waiting)")];

// An element, and the facts by which its place is found when it is gone.
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

// An element in the same place with the same name: the same element, rendered anew.
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

/** Focus the box for the next question; on a touch screen, whose keyboard would hide the answer, the conversation. */
export function focusHome() {
  const home = matchMedia("(pointer: fine)").matches ? ".composer textarea" : ".thread";
  /** @type {HTMLElement | null} */ (document.querySelector(home))?.focus({ preventScroll: true });
}

// Whether an element of the same name, or a remaining container of it, has the focus now.
function restore(lost) {
  const element = isGone(lost.element) ? twinOf(lost) : lost.element;
  const scope = element?.parentElement.closest(SCOPES);
  return Boolean(element) && (focus(element) || (Boolean(scope) && focusScope(scope, element)));
}

// A conversation that is rendered anew is empty for a moment; then the focus goes back to its element.
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

// A menu gives the focus back to its button, which a pointer does not focus on the way.
function rememberButton(menu) {
  const button = menu?.id && document.querySelector(`[aria-controls="${CSS.escape(menu.id)}"]`);
  if (button && !openers.has(menu)) openers.set(menu, remembered(button));
}

export function FocusRestorer() {
  useEffect(watch, []);
  return null;
}

// Once for all pages of a visit: between two of them the focused element goes away too.
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
  // A click on the page's background takes the focus away on purpose.
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

/** Give the focus back to the element that has it now, once `region` is gone. */
export function rememberOpener(region) {
  const opener = document.activeElement;
  if (opener && opener !== document.body && !region.contains(opener)) openers.set(region, remembered(opener));
}

export const rememberDialogOpener = (event) => rememberOpener(event.target);

export function giveDialogFocusBack(event) {
  const opener = openers.get(event.target);
  if (document.activeElement === document.body && !(opener && restore(opener))) focusHome();
}

/** A menu's last word on the focus, a moment after it is gone: a focus that an act has moved by then stays where it is. */
export function leaveFocus(event) {
  if (document.activeElement !== document.body) event.preventDefault();
}
