// On a narrow screen, Back closes what lies over the page before it leaves the page: a sheet, a document in it, a dialog.
// Each has an entry in the history of the browser above that of the page. Closed in another way, it takes its entry along.
// The router hears of none of these entries: it would take them for pages.

import { useLayoutEffect, useRef } from "react";
import { NARROW, isNarrow } from "./narrow.js";

// What lies over the page, from below, each with how it is closed.
const steps = [];
// Whether the history is about to go where this script sent it.
let isMoving = false;
// Whether another page is about to take the place of the topmost entry.
let isReplaced = false;
// The entry at which the browser is: how many steps it is above the page, and the address of the page then.
let at = 0;
let under = "";
// The key of the page that the router shows.
let routed = "";
// The address that the page has got while something lay over it.
let address = "";

// A frame shares the history of the page around it.
const isFramed = () => window.parent !== window;

const countOf = (state) => state?.steps ?? 0;
const open = () => steps.filter(({ isLeft }) => !isLeft);

function note(state) {
  at = countOf(state);
  if (at > 0) under = state.under;
}

const wanted = () => (isNarrow() && !isFramed() ? open().length : 0);

/** Have no fewer entries above that of the page than there are steps. */
function fill() {
  if (isMoving) return;
  for (let count = countOf(history.state) + 1; count <= wanted(); count += 1)
    history.pushState({ ...history.state, steps: count, under: count === 1 ? location.href : under }, "");
  note(history.state);
}

/** Have as many entries above that of the page as there are steps. */
function settle() {
  fill();
  if (isMoving) return;
  const surplus = at - wanted();
  isMoving = surplus > 0 && !isReplaced;
  if (isMoving) history.go(-surplus);
  isReplaced = false;
}

// A step that takes the place of another within one change of the page takes over its entry.
const settleSoon = () => setTimeout(settle);

// Whether the browser went to an entry of the page that it was at.
function isOfPage(state, from) {
  if ((state?.key ?? "default") !== routed) return false;
  return countOf(state) > 0 || (from > 0 && location.href === under);
}

function moved(event) {
  const [from, wasSent] = [at, isMoving];
  const isHere = isOfPage(event.state, from);
  isMoving = false;
  note(event.state);
  if (!isHere) return;
  event.stopImmediatePropagation();
  if (address) history.replaceState(history.state, "", address);
  if (at === 0) address = "";
  const above = open().slice(at);
  if (wasSent) settle();
  else if (above.length > 0) for (const step of above.reverse()) step.leave();
  // Forward, to what is closed.
  else if (at > open().length) settle();
  // The entry of something that is not there since the page was loaded anew.
  else history.back();
}

// Before the router listens: at the window, some browsers call the listener that came first.
if (typeof window !== "undefined") {
  note(history.state);
  addEventListener("popstate", moved, { capture: true });
  matchMedia(NARROW).addEventListener("change", settle);
}

/** Tell the key of the page that the router shows. */
export function useRouted(key) {
  useLayoutEffect(() => {
    routed = key;
  }, [key]);
}

/** Have Back call `goBack`, for as long as a component `isIn`. */
export function useBackStep(isIn, goBack) {
  const latest = useRef(goBack);
  latest.current = goBack;
  useLayoutEffect(() => {
    if (!isIn) return undefined;
    const step = {
      isLeft: false,
      leave: () => {
        step.isLeft = true;
        latest.current?.();
      },
    };
    steps.push(step);
    // At once: whoever sees it may press Back.
    fill();
    return () => {
      steps.splice(steps.indexOf(step), 1);
      settleSoon();
    };
  }, [isIn]);
}

export function BackStep({ onBack }) {
  useBackStep(true, onBack);
  return null;
}

/** Whether a page that is gone to now replaces the entry of what lies over this one. */
export function isToReplace() {
  isReplaced = countOf(history.state) > 0;
  return isReplaced;
}

/** Have the page under another address. */
export function replaceAddress(to) {
  history.replaceState(history.state, "", to);
  if (countOf(history.state) > 0) address = location.href;
}

/** Have the page under another address, and the one before behind it. */
export function pushAddress(to) {
  if (countOf(history.state) > 0) replaceAddress(to);
  else history.pushState(history.state, "", to);
}
