// Values that features provide to the core's scripts by name: a component, a function, or a fact about the page.

import { useLayoutEffect, useSyncExternalStore } from "react";
import { Listeners } from "./hearing.js";

const given = new Map();
const { listen, tell } = new Listeners();

const onServer = () => undefined;

/** Provide `value` under `name` while this component is mounted. */
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

/** The value of `name`; undefined if not provided. */
export const useProvided = (name) => useSyncExternalStore(listen, () => given.get(name), onServer);

/** The element provided under `name`, or that of a function of the other props. @param {{ name: string, backend?: string }} props */
export function Provided({ name, ...props }) {
  const part = useProvided(name);
  return typeof part === "function" ? part(props) : (part ?? null);
}
