// A choice that this browser keeps for its reader, the same in all of its tabs.

import { useSyncExternalStore } from "react";

export class KeptChoice {
  #key;
  #values;
  #listeners = new Set();

  /** Kept under `key`: one of `values`, and the first of them until another is chosen. */
  constructor(key, values) {
    this.#key = key;
    this.#values = values;
    globalThis.addEventListener?.("storage", ({ key: changed }) => {
      if (changed === key || changed === null) this.#tell();
    });
  }

  get value() {
    const kept = globalThis.localStorage?.getItem(this.#key);
    return this.#values.includes(kept) ? kept : this.#values[0];
  }

  set value(chosen) {
    localStorage.setItem(this.#key, chosen);
    this.#tell();
  }

  /** Call `listener` after each change; returns the function that ends this. */
  listen = (listener) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  #tell() {
    for (const listener of this.#listeners) listener();
  }
}

/** The value now, rendered anew when it changes. */
export const useChoice = (choice) => useSyncExternalStore(choice.listen, () => choice.value);
