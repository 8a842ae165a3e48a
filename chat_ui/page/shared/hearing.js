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
