// Keys that are pressed while the stage still loads: it gets them once it is there.

const HELD = ["Escape", "PageDown", "PageUp", "F5", "b", "B", "."];
/** @type {KeyboardEvent[]} */
let held = [];

/** Hold the keys of presenting from now on; returns the function that ends this. */
export function holdKeys() {
  const hold = (event) => {
    if (!HELD.includes(event.key) || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (!event.repeat) held.push(event);
  };
  window.addEventListener("keydown", hold, { capture: true });
  return () => window.removeEventListener("keydown", hold, { capture: true });
}

/** The keys that were held, once. */
export function heldKeys() {
  const keys = held;
  held = [];
  return keys;
}
