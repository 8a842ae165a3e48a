/**
 * Add the `listeners` by event type to `target`; returns a function that removes them.
 * @param {EventTarget} target
 * @param {Record<string, (event: any) => unknown>} listeners
 * @param {boolean | AddEventListenerOptions} [options]
 */
export function hear(target, listeners, options) {
  for (const [type, listener] of Object.entries(listeners)) target.addEventListener(type, listener, options);
  return () => {
    for (const [type, listener] of Object.entries(listeners)) target.removeEventListener(type, listener, options);
  };
}

/** Functions to call after each change. */
export class Listeners {
  #all = new Set();

  /** Call `listener` from now on; returns a function that removes it. */
  listen = (listener) => {
    this.#all.add(listener);
    return () => this.#all.delete(listener);
  };

  tell = () => {
    for (const listener of this.#all) listener();
  };
}

// Key presses, except those of an input method: the Enter that ends a composition, the Escape that cancels it. Safari
// ends the composition before the event of that key, and marks the event only by its code.
const OF_INPUT_METHOD = 229;

/** Whether a key of a native event is an input method's. */
export const composes = (event) => event.isComposing || event.keyCode === OF_INPUT_METHOD;

/** Whether the keyboard has ⌘ where others have Ctrl. */
export const isApple = () => /mac|iphone|ipad/i.test(globalThis.navigator?.platform);

export const pressed = ({ nativeEvent }, key) => nativeEvent.key === key && !composes(nativeEvent);

/** Keep a dialog open if its Escape was for an input method. */
export function leaveToInputMethod(event) {
  if (composes(event)) event.preventDefault();
}

/** Call `act` once nothing is pressed, as a change during a press could move the target from below the pointer. */
export function afterPress(act) {
  if (!document.querySelector(":active")) {
    act();
    return;
  }
  const released = new AbortController();
  const release = () => {
    released.abort();
    act();
  };
  for (const end of ["pointerup", "pointercancel", "keyup"]) {
    addEventListener(end, release, { capture: true, signal: released.signal });
  }
}
