// The dialog Keyboard shortcuts: all keys of the page, and switches for those that could be in somebody's way.

import { Dialog, Switch } from "@radix-ui/themes";
import { Fragment, useState } from "react";
import { giveDialogFocusBack, rememberDialogOpener } from "../shared/focus.js";
import { Keys, keysOf } from "./keys.jsx";
import "./shortcut_list.css";
import { KEPT, SHORTCUTS, isOn, kept } from "./shortcuts.js";

const OF_BROWSERS = "Off at first, as some browsers have other uses for it.";

const ALL = "All shortcuts that have a switch";

/** @typedef {{ label: string, keys: string[][], name?: string, note?: string }} Row */

/** @type {{ name: string, rows: Row[] }[]} */
const GROUPS = [
  {
    name: "Everywhere",
    rows: [
      { name: "palette", label: "Search and commands", keys: [keysOf(SHORTCUTS.palette)] },
      {
        name: "shortcuts",
        label: "This list",
        keys: [keysOf(SHORTCUTS.shortcuts)],
        note: "Only while no field has the focus.",
      },
      { name: "new-chat", label: "New chat", keys: [keysOf(SHORTCUTS["new-chat"])], note: OF_BROWSERS },
      { name: "message", label: "Go to the message box", keys: [keysOf(SHORTCUTS.message)], note: OF_BROWSERS },
      { label: "Close what is open, or go one step back", keys: [["Escape"]] },
    ],
  },
  {
    name: "Questions",
    rows: [
      { label: "Send the question", keys: [["Enter"]] },
      { label: "Begin a new line", keys: [["Shift", "Enter"]] },
    ],
  },
  {
    name: "Answers",
    rows: [
      {
        name: "citations",
        label: "Next citation, or the one before",
        keys: [
          ["Alt", "↓"],
          ["Alt", "↑"],
        ],
      },
      { label: "Open the source of a citation", keys: [["Enter"]] },
      { label: "Go to the beginning of the conversation", keys: [["Home"]] },
      { label: "Go to its end", keys: [["End"]] },
    ],
  },
  {
    name: "Sources and Thoughts",
    rows: [
      { label: "The other tab, while a tab has the focus", keys: [["←"], ["→"]] },
      { label: "Wider or narrower, while the edge has the focus", keys: [["←"], ["→"]] },
      { label: "Next page of a document, or the one before", keys: [["PageDown"], ["PageUp"]] },
      { label: "Larger or smaller document", keys: [["+"], ["−"]] },
    ],
  },
  {
    name: "Menus and lists",
    rows: [
      { label: "Open the menu of backends", keys: [["Space"], ["↑"], ["F4"]] },
      { label: "Next item, or the one before", keys: [["↓"], ["↑"]] },
      { label: "Choose the item", keys: [["Enter"]] },
      { label: "Keep a new title of a conversation", keys: [["Enter"]] },
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
            {index > 0 && <span className="visually-hidden"> or </span>}
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
  const isAnyOn = switched.all !== false;
  return (
    <Dialog.Root open onOpenChange={(isOpen) => isOpen || onClose()}>
      <Dialog.Content
        className="shortcuts framed"
        maxWidth="38rem"
        onOpenAutoFocus={rememberDialogOpener}
        onCloseAutoFocus={giveDialogFocusBack}
      >
        <div className="framed-form">
          <div className="framed-head">
            <Dialog.Title>Keyboard shortcuts</Dialog.Title>
            <Dialog.Description size="2">
              Those with a switch can be off, for this browser: where they are in the way of another program, of speech
              input, or of a slip of the hand.
            </Dialog.Description>
          </div>
          <div className="framed-body">
            <div className="shortcut shortcut-all">
              <span>{ALL}</span>
              <Switch
                size="1"
                aria-label={ALL}
                checked={isAnyOn}
                onCheckedChange={(isWanted) => onSwitch("all", isWanted)}
              />
            </div>
            {GROUPS.map(({ name, rows }) => (
              <section key={name} aria-label={name}>
                <h2 className="shortcut-group">{name}</h2>
                <ul className="shortcut-rows">
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
          </div>
          <div className="framed-foot dialog-buttons">
            <span className="spacer" />
            <Dialog.Close>
              <button type="button" className="button">
                Close
              </button>
            </Dialog.Close>
          </div>
        </div>
      </Dialog.Content>
    </Dialog.Root>
  );
}
