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

const ofBrowsers = () => t("Off by default: some browsers use these keys.");
const outsideFields = () => t("When no text field has focus.");

const groups = () => [
  group(
    t("Everywhere"),
    ofCommand("palette", t("Search and commands")),
    ofCommand("shortcuts", t("This list"), outsideFields()),
    ofCommand("present", t("Start or stop presenting")),
    ofCommand("new-chat", t("New chat"), ofBrowsers()),
    ofCommand("message", t("Go to the message box"), ofBrowsers()),
    row(t("Close the open panel, or go back one step"), ["Escape"]),
  ),
  group(t("Questions"), row(t("Send the question"), ["Enter"]), row(t("New line"), ["Shift", "Enter"])),
  group(
    t("Answers"),
    { ...row(t("Next or previous citation"), ["Alt", "↓"], ["Alt", "↑"]), name: "citations" },
    row(t("Open the source of a citation"), ["Enter"]),
    { ...row(t("Approve or deny, when the request has focus"), ["A"], ["D"]), name: "decide" },
    row(t("Stop reading aloud, or dictation"), ["Escape"]),
    row(t("Go to the beginning of the conversation"), ["Home"]),
    row(t("Go to the end of the conversation"), ["End"]),
  ),
  group(
    t("Sources and Thoughts"),
    row(t("Other tab, when a tab has focus"), ["←"], ["→"]),
    row(t("Resize, when the edge has focus"), ["←"], ["→"]),
    row(t("Next or previous page of a document"), ["PageDown"], ["PageUp"]),
    row(t("Zoom the document in or out"), ["+"], ["−"]),
  ),
  group(
    t("Presentation"),
    row(t("Next or previous step of the script"), ["PageDown"], ["PageUp"]),
    { ...row(t("Blank the screen, or show it again"), ["B"], ["."]), note: outsideFields() },
    row(t("End presentation"), ["Escape"]),
  ),
  group(
    t("Comparison"),
    row(t("Left is better, when the comparison has focus"), ["←"]),
    row(t("Both are equal"), ["="]),
    row(t("Right is better"), ["→"]),
  ),
  group(
    t("Menus and lists"),
    row(t("Open the menu of backends"), ["Space"], ["↑"], ["F4"]),
    row(t("Next or previous item"), ["↓"], ["↑"]),
    row(t("Choose the item"), ["Enter"]),
    row(t("Save a new title of a conversation"), ["Enter"]),
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
  const all = t("All optional shortcuts");
  const isAnyOn = switched.all !== false;
  return (
    <FramedDialog
      className="shortcuts"
      maxWidth="38rem"
      title={t("Keyboard shortcuts")}
      description={t(
        "Turn off any shortcut that clashes with other software, voice control or accidental key presses.",
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
