// Listeners, each for as long as a part of the page needs it.

/**
 * Have `target` call the `listeners`, by the types of events; returns what ends that.
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

/** Functions to call after each change of something. */
export class Listeners {
  #all = new Set();

  /** Call `listener` from now on; returns what ends that. */
  listen = (listener) => {
    this.#all.add(listener);
    return () => this.#all.delete(listener);
  };

  tell = () => {
    for (const listener of this.#all) listener();
  };
}
