// A choice of the reader, stored in this browser and shared by all tabs.

import { useSyncExternalStore } from "react";
import { Listeners } from "../shared/hearing.js";

export class StoredChoice {
  #key;
  #values;
  #listeners = new Listeners();

  /** Stored under `key`: one of `values`, by default the first. */
  constructor(key, values) {
    this.#key = key;
    this.#values = values;
    globalThis.addEventListener?.("storage", ({ key: changed }) => {
      if (changed === key || changed === null) this.#listeners.tell();
    });
  }

  get value() {
    const kept = globalThis.localStorage?.getItem(this.#key);
    return this.#values.includes(kept) ? kept : this.#values[0];
  }

  set value(chosen) {
    localStorage.setItem(this.#key, chosen);
    this.#listeners.tell();
  }

  /** Calls a listener after each change. */
  listen = this.#listeners.listen;
}

/** The current value, rendered again when it changes. */
export const useChoice = (choice) => useSyncExternalStore(choice.listen, () => choice.value);
