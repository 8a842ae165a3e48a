// The page's own shortcuts: the keys of each, and whether this person has it on.

import { composes, isApple } from "../shared/pressed.js";

/** The name under which the browser keeps what a person has switched. */
export const KEPT = "chat-ui-shortcuts";

/** @typedef {{ key: string, command?: boolean, shift?: boolean }} Shortcut */

/**
 * By the command that each calls.
 * @type {Record<string, Shortcut>}
 */
export const SHORTCUTS = {
  palette: { command: true, key: "k" },
  shortcuts: { key: "?" },
  "new-chat": { command: true, shift: true, key: "o" },
  message: { shift: true, key: "Escape" },
  present: { key: "F2" },
};
// Off until a person wants them: Chrome and Firefox open bookmarks and their task managers by these keys.
const OF_BROWSERS_TOO = ["new-chat", "message"];

/** What a person has switched: `{"all": false}` for none at all, and each by its name. */
export function kept() {
  try {
    return { ...JSON.parse(localStorage.getItem(KEPT)) };
  } catch {
    return {};
  }
}

export const isOn = (name, { all, [name]: own } = kept()) => all !== false && (own ?? !OF_BROWSERS_TOO.includes(name));

// A key that writes no Latin letter, of a Greek or Japanese layout, counts by its place.
const keyOf = ({ key, code = "" }) => (/^[^ -~]$/.test(key) ? code.replace("Key", "") : key).toLowerCase();

/**
 * Whether the event is these keys and no other modifier, AltGr least of all, which Windows takes for Ctrl + Alt.
 * @param {KeyboardEvent} event
 * @param {Shortcut} shortcut
 */
export function matches(event, { command = false, shift = false, key }) {
  const [own, other] = isApple() ? [event.metaKey, event.ctrlKey] : [event.ctrlKey, event.metaKey];
  // The layout decides whether Shift makes a question mark.
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
