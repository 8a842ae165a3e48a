// What the page can do now, by name: a component tells of an act for as long as it is possible. The keys call acts, and the
// palette lists them.

import { useEffect, useRef } from "react";
import { Listeners } from "../shared/hearing.js";

const acts = new Map();
let names = [];
const listeners = new Listeners();

/** Calls a listener after each change of what is possible. */
export const { listen } = listeners;

const change = () => {
  names = [...acts.keys()];
  listeners.tell();
};

/** Have `act` be called by `name` while this component is on the page and `act` is there. */
export function useCommand(name, act) {
  const latest = useRef(act);
  latest.current = act;
  const isPossible = Boolean(act);
  useEffect(() => {
    if (!isPossible) return undefined;
    const call = (...values) => latest.current(...values);
    acts.set(name, call);
    change();
    return () => {
      // Another component may have it by now.
      if (acts.get(name) === call) acts.delete(name);
      change();
    };
  }, [name, isPossible]);
}

export function Command({ name, onRun }) {
  useCommand(name, onRun);
  return null;
}

/** Do what is called `name`; returns whether that is possible. */
export function run(name, ...values) {
  acts.get(name)?.(...values);
  return acts.has(name);
}

/** The names of all that is possible, the same array until that changes. */
export const possible = () => names;
