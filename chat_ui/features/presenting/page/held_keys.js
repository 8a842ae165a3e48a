// Keys that are pressed before the presentation or the script is there, which is given them then.

import { hear } from "../../../page/shared/hearing.js";

const HELD = ["Escape", "F2", "PageDown", "PageUp", "F5", "b", "B", "."];
/** @type {KeyboardEvent[]} */
let held = [];

export const holdKey = (/** @type {KeyboardEvent} */ event) => held.push(event);

/** Hold the keys of presenting from now on; returns the function that ends this. */
export function holdKeys() {
  const hold = (event) => {
    if (!HELD.includes(event.key) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (!event.repeat) holdKey(event);
  };
  return hear(window, { keydown: hold }, { capture: true });
}

/** The keys that were held, once. */
export function heldKeys() {
  const keys = held;
  held = [];
  return keys;
}
