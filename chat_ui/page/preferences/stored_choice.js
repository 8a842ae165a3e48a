// A choice that this browser keeps for its reader, the same in all of its tabs.

import { useSyncExternalStore } from "react";
import { Listeners } from "../shared/hearing.js";

export class StoredChoice {
  #key;
  #values;
  #listeners = new Listeners();

  /** Kept under `key`: one of `values`, and the first of them until another is chosen. */
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

/** The value now, rendered anew when it changes. */
export const useChoice = (choice) => useSyncExternalStore(choice.listen, () => choice.value);
