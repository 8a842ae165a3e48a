// The dialog Keyboard shortcuts: all keys of the page, with switches for those that may conflict with other software.

import { Switch } from "@radix-ui/themes";
import { Fragment, useState } from "react";
import { t } from "../../../page/languages/language.js";
import { FramedDialog } from "../../../page/shared/framed_dialog.jsx";
import { adopt } from "../../../page/shared/stylesheets.js";
import { Keys, keysOf } from "./keys.jsx";
import rules from "./shortcut_list.css?inline";
import { KEPT, SHORTCUTS, isOn, kept } from "../../../page/commands/shortcuts.js";

adopt(rules);

/** @typedef {{ label: string, keys: string[][], name?: string, note?: string }} Row */

/** @returns {Row} */
const row = (label, ...keys) => ({ label, keys });

/** The row of a command, whose keys can be switched off. @returns {Row} */
const ofCommand = (name, label, note = "") => ({ name, label, keys: [keysOf(SHORTCUTS[name])], note });

const group = (name, /** @type {Row[]} */ ...rows) => ({ name, rows });

const ofBrowsers = () => t("Off at first, as some browsers have other uses for it.");
const outsideFields = () => t("Only while no field has the focus.");

const groups = () => [
  group(
    t("Everywhere"),
    ofCommand("palette", t("Search and commands")),
    ofCommand("shortcuts", t("This list"), outsideFields()),
    ofCommand("present", t("Present, or end that")),
    ofCommand("new-chat", t("New chat"), ofBrowsers()),
    ofCommand("message", t("Go to the message box"), ofBrowsers()),
    row(t("Close what is open, or go one step back"), ["Escape"]),
  ),
  group(t("Questions"), row(t("Send the question"), ["Enter"]), row(t("Begin a new line"), ["Shift", "Enter"])),
  group(
    t("Answers"),
    { ...row(t("Next citation, or the one before"), ["Alt", "↓"], ["Alt", "↑"]), name: "citations" },
    row(t("Open the source of a citation"), ["Enter"]),
    row(t("Stop reading aloud, or dictation"), ["Escape"]),
    row(t("Go to the beginning of the conversation"), ["Home"]),
    row(t("Go to its end"), ["End"]),
  ),
  group(
    t("Sources and Thoughts"),
    row(t("The other tab, while a tab has the focus"), ["←"], ["→"]),
    row(t("Wider or narrower, while the edge has the focus"), ["←"], ["→"]),
    row(t("Next page of a document, or the one before"), ["PageDown"], ["PageUp"]),
    row(t("Larger or smaller document"), ["+"], ["−"]),
  ),
  group(
    t("Presentation"),
    row(t("Next step of the script, or the one before"), ["PageDown"], ["PageUp"]),
    { ...row(t("Blank the page, or show it again"), ["B"], ["."]), note: outsideFields() },
    row(t("End the presentation"), ["Escape"]),
  ),
  group(
    t("Comparison"),
    row(t("Left is better, while the comparison has the focus"), ["←"]),
    row(t("Both are equal"), ["="]),
    row(t("Right is better"), ["→"]),
  ),
  group(
    t("Menus and lists"),
    row(t("Open the menu of backends"), ["Space"], ["↑"], ["F4"]),
    row(t("Next item, or the one before"), ["↓"], ["↑"]),
    row(t("Choose the item"), ["Enter"]),
    row(t("Keep a new title of a conversation"), ["Enter"]),
  ),
];

function ShortcutRow({ row, isSwitchedOn, isDisabled, onSwitch }) {
  const { name, label, keys, note } = row;
  return (
    <li className="shortcut">
      <span className="shortcut-words">
        <span>{label}</span>
        {note && <span className="field-help">{note}</span>}
      </span>
      <span className="shortcut-keys">
        {keys.map((together, index) => (
          <Fragment key={together.join(" ")}>
            {index > 0 && <span className="visually-hidden"> {t("or")} </span>}
            <Keys of={together} />
          </Fragment>
        ))}
      </span>
      {name && (
        <Switch
          size="1"
          aria-label={label}
          checked={isSwitchedOn}
          disabled={isDisabled}
          onCheckedChange={(isWanted) => onSwitch(name, isWanted)}
        />
      )}
    </li>
  );
}

export function ShortcutList({ onClose }) {
  const [switched, setSwitched] = useState(kept);
  const onSwitch = (name, isWanted) => {
    const changed = { ...kept(), [name]: isWanted };
    localStorage.setItem(KEPT, JSON.stringify(changed));
    setSwitched(changed);
  };
  const all = t("All shortcuts that have a switch");
  const isAnyOn = switched.all !== false;
  return (
    <FramedDialog
      className="shortcuts"
      maxWidth="38rem"
      title={t("Keyboard shortcuts")}
      description={t(
        "Those with a switch can be off, for this browser: where they are in the way of another program, of speech " +
          "input, or of a slip of the hand.",
      )}
      onClose={onClose}
    >
      <div className="shortcut shortcut-all">
        <span>{all}</span>
        <Switch size="1" aria-label={all} checked={isAnyOn} onCheckedChange={(isWanted) => onSwitch("all", isWanted)} />
      </div>
      {groups().map(({ name, rows }) => (
        <section key={name} aria-label={name}>
          <h2 className="group-heading">{name}</h2>
          <ul>
            {rows.map((row) => (
              <ShortcutRow
                key={row.label}
                row={row}
                isSwitchedOn={Boolean(row.name) && isOn(row.name, switched)}
                isDisabled={!isAnyOn}
                onSwitch={onSwitch}
              />
            ))}
          </ul>
        </section>
      ))}
    </FramedDialog>
  );
}
