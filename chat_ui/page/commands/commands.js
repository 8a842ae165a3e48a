// What the page can do now, by name: a component tells of an act for as long as it is possible. The keys call acts, and the
// palette lists them.

import { useEffect, useRef } from "react";
import { Listeners } from "../shared/hearing.js";

const acts = new Map();
const labelled = new Map();
let names = [];
const listeners = new Listeners();

/** Calls a listener after each change of what is possible. */
export const { listen } = listeners;

const change = () => {
  names = [...acts.keys()];
  listeners.tell();
};

/**
 * Have `act` be called by `name` while this component is on the page and `act` is there. The palette has words of its own
 * for the core's commands; one with a `label` is listed by that, and found by it and the `hints`.
 * @param {string} name
 * @param {any} act
 * @param {{ label?: string, hints?: string }} [words]
 */
export function useCommand(name, act, { label, hints } = {}) {
  const latest = useRef(act);
  latest.current = act;
  const isPossible = Boolean(act);
  useEffect(() => {
    if (!isPossible) return undefined;
    const call = (...values) => latest.current(...values);
    acts.set(name, call);
    if (label) labelled.set(name, { name, label, hints });
    change();
    return () => {
      // Another component may have it by now.
      if (acts.get(name) === call) {
        acts.delete(name);
        labelled.delete(name);
      }
      change();
    };
  }, [name, isPossible, label, hints]);
}

/** The commands that have a label, by that and their `name` and `hints`. */
export const labelledCommands = () => [...labelled.values()];

export function Command({ name, label, hints, onRun }) {
  useCommand(name, onRun, { label, hints });
  return null;
}

/** Do what is called `name`; returns whether that is possible. */
export function run(name, ...values) {
  acts.get(name)?.(...values);
  return acts.has(name);
}

/** The names of all that is possible, the same array until that changes. */
export const possible = () => names;
