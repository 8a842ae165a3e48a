// Values that features give to scripts of the core, by name: a component, a function, or a fact about the page.

import { useLayoutEffect, useSyncExternalStore } from "react";
import { Listeners } from "./hearing.js";

const given = new Map();
const { listen, tell } = new Listeners();

/** Give `value` by `name` for as long as this component is on the page. */
export function useProvide(name, value) {
  useLayoutEffect(() => {
    given.set(name, value);
    tell();
    return () => {
      given.delete(name);
      tell();
    };
  }, [name, value]);
}

export function Provide({ name, value }) {
  useProvide(name, value);
  return null;
}

/** The value of `name`; undefined where no feature gives one. */
export const useProvided = (name) =>
  useSyncExternalStore(
    listen,
    () => given.get(name),
    () => undefined,
  );
