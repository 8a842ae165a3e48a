// Keys as labelled on this person's keyboard.

import { t } from "../../../page/languages/language.js";
import { isApple } from "../../../page/shared/hearing.js";
import { adopt } from "../../../page/shared/stylesheets.js";
import rules from "./keys.css?inline";

adopt(rules);

const OF_APPLE = { Command: "⌘", Shift: "⇧", Alt: "⌥" };

function nameOf(key) {
  if (isApple() && OF_APPLE[key]) return OF_APPLE[key];
  const names = {
    // Translators: this and the next are keys, by the names that stand on keyboards.
    Command: t("Ctrl"),
    Shift: t("Shift"),
    Enter: t("Enter"),
    Escape: t("Esc"),
    Space: t("Space"),
    Home: t("Home"),
    End: t("End"),
    PageUp: t("Page Up"),
    PageDown: t("Page Down"),
  };
  return names[key] ?? key;
}

/** Keys that are pressed together, such as `["Command", "K"]`. */
export const Keys = ({ of }) => (
  <span className="keys">
    {of.map((key) => (
      <kbd key={key}>{nameOf(key)}</kbd>
    ))}
  </span>
);

/**
 * @param {import("../../../page/commands/shortcuts.js").Shortcut} shortcut
 */
export const keysOf = ({ command, shift, key }) => [
  ...(command ? ["Command"] : []),
  ...(shift ? ["Shift"] : []),
  key.length === 1 ? key.toUpperCase() : key,
];
