// The page's available commands by name: a component registers an act while it is possible. Keys call acts. The palette
// and the menu More list them.

import { useEffect, useRef } from "react";
import { Listeners } from "../shared/hearing.js";

const acts = new Map();
const labelled = new Map();
const entries = new Map();
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
 *
 * The menu More lists a command with an `entry`, at its `place`: 0 is for the search, 10 to 19 for acts on the
 * conversation, 20 to 29 for views, 30 to 39 for the page. With a `sign`, the header has a button for it, too.
 * @param {string} name
 * @param {any} act
 * @param {{ label?: string, hints?: string, entry?: string, place?: number,
 *   sign?: import("lucide-react").LucideIcon }} [words]
 */
export function useCommand(name, act, { label, hints, entry, place, sign } = {}) {
  const latest = useRef(act);
  latest.current = act;
  const isPossible = Boolean(act);
  useEffect(() => {
    if (!isPossible) return undefined;
    const call = (...values) => latest.current(...values);
    acts.set(name, call);
    if (label) labelled.set(name, { name, label, hints });
    if (entry) entries.set(name, { name, label: entry, place, sign });
    change();
    return () => {
      // Another component may have registered it meanwhile.
      if (acts.get(name) === call) {
        acts.delete(name);
        labelled.delete(name);
        entries.delete(name);
      }
      change();
    };
  }, [name, isPossible, label, hints, entry, place, sign]);
}

/** The commands with a label, with their `name` and `hints`. */
export const labelledCommands = () => [...labelled.values()];

/** The entries of the menu More, each with its `name`, `label`, `place`, and `sign` if any. */
export const menuEntries = () => [...entries.values()];

export function Command({ name, onRun, ...words }) {
  useCommand(name, onRun, words);
  return null;
}

/** Run the command `name`; returns whether it is available. */
export function run(name, ...values) {
  acts.get(name)?.(...values);
  return acts.has(name);
}

/** The names of all available commands, the same array until they change. */
export const possible = () => names;
