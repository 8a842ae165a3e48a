// The page's shortcuts: the keys of each, and whether this person has it on.

import { composes, isApple } from "../shared/hearing.js";

/** The storage key of a person's switches. */
export const KEPT = "chat-ui-shortcuts";

/** @typedef {{ key: string, command?: boolean, shift?: boolean }} Shortcut */

/**
 * By the command of each.
 * @type {Record<string, Shortcut>}
 */
export const SHORTCUTS = {
  palette: { command: true, key: "k" },
  shortcuts: { key: "?" },
  "new-chat": { command: true, shift: true, key: "o" },
  message: { shift: true, key: "Escape" },
  present: { key: "F2" },
};
// Off by default: Chrome and Firefox open bookmarks and their task managers by these keys.
const OF_BROWSERS_TOO = ["new-chat", "message"];

/** The switches of a person by name; `{"all": false}` switches all off. */
export function kept() {
  try {
    return { ...JSON.parse(localStorage.getItem(KEPT)) };
  } catch {
    return {};
  }
}

export const isOn = (name, { all, [name]: own } = kept()) => all !== false && (own ?? !OF_BROWSERS_TOO.includes(name));

// A key without a Latin letter, of a Greek or Japanese layout, counts by its position.
const keyOf = ({ key, code = "" }) => (/^[^ -~]$/.test(key) ? code.replace("Key", "") : key).toLowerCase();

/**
 * Whether the event has these keys without other modifiers; Windows reports AltGr as Ctrl + Alt.
 * @param {KeyboardEvent} event
 * @param {Shortcut} shortcut
 */
export function matches(event, { command = false, shift = false, key }) {
  const [own, other] = isApple() ? [event.metaKey, event.ctrlKey] : [event.ctrlKey, event.metaKey];
  // In some layouts, a question mark needs Shift.
  const isShifted = key === "?" || event.shiftKey === shift;
  if (own !== command || other || !isShifted || event.altKey || event.getModifierState("AltGraph")) return false;
  return keyOf(event) === key.toLowerCase() && !composes(event);
}

const FIELDS = "input, textarea, select, [contenteditable]";
const OF_OWN_KEYS =
  ":root[data-presenting], dialog[open], [role=dialog][data-state=open], [role=alertdialog][data-state=open], [role=menu]";

/** The command that a key event calls, if any. */
export function calledBy(event) {
  const { target, key, repeat, defaultPrevented } = event;
  if (repeat || defaultPrevented || document.querySelector(OF_OWN_KEYS)) return undefined;
  if (key === "?" && target.closest?.(FIELDS)) return undefined;
  return Object.keys(SHORTCUTS).find((name) => matches(event, SHORTCUTS[name]) && isOn(name));
}
