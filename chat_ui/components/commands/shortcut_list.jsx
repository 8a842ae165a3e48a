// The dialog Keyboard shortcuts: all keys of the page, and switches for those that could be in somebody's way.

import { Switch } from "@radix-ui/themes";
import { Fragment, useState } from "react";
import { t } from "../languages/language.js";
import { FramedDialog } from "../shared/framed_dialog.jsx";
import { adopt } from "../shared/stylesheets.js";
import { Keys, keysOf } from "./keys.jsx";
import rules from "./shortcut_list.css?inline";
import { KEPT, SHORTCUTS, isOn, kept } from "./shortcuts.js";

adopt(rules);

const ofBrowsers = () => t("Off at first, as some browsers have other uses for it.");

/** @typedef {{ label: string, keys: string[][], name?: string, note?: string }} Row */

/** @returns {{ name: string, rows: Row[] }[]} */
const groups = () => [
  {
    name: t("Everywhere"),
    rows: [
      { name: "palette", label: t("Search and commands"), keys: [keysOf(SHORTCUTS.palette)] },
      {
        name: "shortcuts",
        label: t("This list"),
        keys: [keysOf(SHORTCUTS.shortcuts)],
        note: t("Only while no field has the focus."),
      },
      { name: "present", label: t("Present, or end that"), keys: [keysOf(SHORTCUTS.present)] },
      { name: "new-chat", label: t("New chat"), keys: [keysOf(SHORTCUTS["new-chat"])], note: ofBrowsers() },
      { name: "message", label: t("Go to the message box"), keys: [keysOf(SHORTCUTS.message)], note: ofBrowsers() },
      { label: t("Close what is open, or go one step back"), keys: [["Escape"]] },
    ],
  },
  {
    name: t("Questions"),
    rows: [
      { label: t("Send the question"), keys: [["Enter"]] },
      { label: t("Begin a new line"), keys: [["Shift", "Enter"]] },
    ],
  },
  {
    name: t("Answers"),
    rows: [
      {
        name: "citations",
        label: t("Next citation, or the one before"),
        keys: [
          ["Alt", "↓"],
          ["Alt", "↑"],
        ],
      },
      { label: t("Open the source of a citation"), keys: [["Enter"]] },
      { label: t("Stop reading aloud, or dictation"), keys: [["Escape"]] },
      { label: t("Go to the beginning of the conversation"), keys: [["Home"]] },
      { label: t("Go to its end"), keys: [["End"]] },
    ],
  },
  {
    name: t("Sources and Thoughts"),
    rows: [
      { label: t("The other tab, while a tab has the focus"), keys: [["←"], ["→"]] },
      { label: t("Wider or narrower, while the edge has the focus"), keys: [["←"], ["→"]] },
      { label: t("Next page of a document, or the one before"), keys: [["PageDown"], ["PageUp"]] },
      { label: t("Larger or smaller document"), keys: [["+"], ["−"]] },
    ],
  },
  {
    name: t("Presentation"),
    rows: [
      { label: t("Next step of the script, or the one before"), keys: [["PageDown"], ["PageUp"]] },
      {
        label: t("Blank the page, or show it again"),
        keys: [["B"], ["."]],
        note: t("Only while no field has the focus."),
      },
      { label: t("End the presentation"), keys: [["Escape"]] },
    ],
  },
  {
    name: t("Comparison"),
    rows: [
      { label: t("Left is better, while the comparison has the focus"), keys: [["←"]] },
      { label: t("Both are equal"), keys: [["="]] },
      { label: t("Right is better"), keys: [["→"]] },
    ],
  },
  {
    name: t("Menus and lists"),
    rows: [
      { label: t("Open the menu of backends"), keys: [["Space"], ["↑"], ["F4"]] },
      { label: t("Next item, or the one before"), keys: [["↓"], ["↑"]] },
      { label: t("Choose the item"), keys: [["Enter"]] },
      { label: t("Keep a new title of a conversation"), keys: [["Enter"]] },
    ],
  },
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
          <h2 className="shortcut-group">{name}</h2>
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
