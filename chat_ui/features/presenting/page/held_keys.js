// A buffer for keys that are pressed before the presentation or the script has loaded.

import { hear } from "../../../page/shared/hearing.js";

const HELD = ["Escape", "F2", "PageDown", "PageUp", "F5", "b", "B", "."];
/** @type {KeyboardEvent[]} */
let held = [];

export const holdKey = (/** @type {KeyboardEvent} */ event) => held.push(event);

/** Start buffering the presentation's keys; returns a function that stops this. */
export function holdKeys() {
  const hold = (event) => {
    if (!HELD.includes(event.key) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (!event.repeat) holdKey(event);
  };
  return hear(window, { keydown: hold }, { capture: true });
}

/** Take the buffered keys. */
export function heldKeys() {
  const keys = held;
  held = [];
  return keys;
}
