// On a narrow screen, Back closes layers over the page before it leaves the page: a sheet, a document in it, a dialog.
// Each has a history entry above the page's, which is removed when the layer closes in another way. The router must not
// see these entries, as it would treat them as pages.

import { useLayoutEffect, useRef } from "react";
import { NARROW, isNarrow } from "./narrow.js";

// The layers over the page from the bottom, each with its close function.
const steps = [];
// Whether a history navigation of this script is pending.
let isMoving = false;
// Whether another page is about to replace the topmost entry.
let isReplaced = false;
// The current entry: its number of steps above the page, and the page's address then.
let at = 0;
let under = "";
// The key of the router's page.
let routed = "";
// The address that the page got under a layer.
let address = "";

// A frame shares the history of the embedding page.
const isFramed = () => window.parent !== window;

const countOf = (state) => state?.steps ?? 0;
const open = () => steps.filter(({ isLeft }) => !isLeft);

function note(state) {
  at = countOf(state);
  if (at > 0) under = state.under;
}

const wanted = () => (isNarrow() && !isFramed() ? open().length : 0);

/** Add history entries until there is one for each layer. */
function fill() {
  if (isMoving) return;
  for (let count = countOf(history.state) + 1; count <= wanted(); count += 1)
    history.pushState({ ...history.state, steps: count, under: count === 1 ? location.href : under }, "");
  note(history.state);
}

/** Make the number of history entries equal to that of the layers. */
function settle() {
  fill();
  if (isMoving) return;
  const surplus = at - wanted();
  isMoving = surplus > 0 && !isReplaced;
  if (isMoving) history.go(-surplus);
  isReplaced = false;
}

// A layer that replaces another within the same render takes over its entry.
const settleSoon = () => setTimeout(settle);

// Whether the browser went to another entry of the same page.
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
  // Forward, to a closed layer.
  else if (at > open().length) settle();
  // The entry of a layer that was lost in a reload.
  else history.back();
}

// Before the router listens: at the window, some browsers call listeners in order of registration.
if (typeof window !== "undefined") {
  note(history.state);
  addEventListener("popstate", moved, { capture: true });
  matchMedia(NARROW).addEventListener("change", settle);
}

/** Set the key of the router's page. */
export function useRouted(key) {
  useLayoutEffect(() => {
    routed = key;
  }, [key]);
}

/** Have Back call `goBack` while a component `isIn`. */
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
    // Immediately, as the person may press Back at once.
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

/** Whether a navigation now should replace the entry of a layer. */
export function isToReplace() {
  isReplaced = countOf(history.state) > 0;
  return isReplaced;
}

/** Replace the page's address. */
export function replaceAddress(to) {
  history.replaceState(history.state, "", to);
  if (countOf(history.state) > 0) address = location.href;
}

/** Push a new address of the page. */
export function pushAddress(to) {
  if (countOf(history.state) > 0) replaceAddress(to);
  else history.pushState(history.state, "", to);
}
