// The page's available commands by name: a component registers an act while it is possible. Keys call acts, and the
// palette lists them.

import { useEffect, useRef } from "react";
import { Listeners } from "../shared/hearing.js";

const acts = new Map();
const labelled = new Map();
let names = [];
const listeners = new Listeners();

/** Calls a listener after each change of the available commands. */
export const { listen } = listeners;

const change = () => {
  names = [...acts.keys()];
  listeners.tell();
};

/**
 * Register `act` under `name` while this component is mounted and `act` is defined. The palette has labels for the
 * core's commands. Others are listed by their `label`, and found by it and the `hints`.
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
      // Another component may have registered it meanwhile.
      if (acts.get(name) === call) {
        acts.delete(name);
        labelled.delete(name);
      }
      change();
    };
  }, [name, isPossible, label, hints]);
}

/** The commands with a label, with their `name` and `hints`. */
export const labelledCommands = () => [...labelled.values()];

export function Command({ name, label, hints, onRun }) {
  useCommand(name, onRun, { label, hints });
  return null;
}

/** Run the command `name`; returns whether it is available. */
export function run(name, ...values) {
  acts.get(name)?.(...values);
  return acts.has(name);
}

/** The names of all available commands, the same array until they change. */
export const possible = () => names;
