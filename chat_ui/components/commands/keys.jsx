// Keys as they stand on the keyboard of this person.

import { isApple } from "../shared/pressed.js";
import "./keys.css";

const NAMES = { Command: "Ctrl", Escape: "Esc" };
const OF_APPLE = { Command: "⌘", Shift: "⇧", Alt: "⌥", Escape: "Esc" };

/** Keys that are pressed together, such as `["Command", "K"]`. */
export const Keys = ({ of }) => (
  <span className="keys">
    {of.map((key) => (
      <kbd key={key}>{(isApple() ? OF_APPLE : NAMES)[key] ?? key}</kbd>
    ))}
  </span>
);

/**
 * The keys of a shortcut.
 * @param {import("./shortcuts.js").Shortcut} shortcut
 */
export const keysOf = ({ command, shift, key }) => [
  ...(command ? ["Command"] : []),
  ...(shift ? ["Shift"] : []),
  key.length === 1 ? key.toUpperCase() : key,
];
