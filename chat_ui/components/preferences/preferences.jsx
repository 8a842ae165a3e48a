// The dialog with a reader's own choices, which this browser keeps.

import { Dialog } from "@radix-ui/themes";
import { useBackStep } from "../shared/back_steps.js";
import { giveDialogFocusBack, rememberDialogOpener } from "../shared/focus.js";
import { announcements } from "../speech/announcements.js";
import { citationStyle } from "./citation_style.js";
import { RadioChoice } from "./radio_choice.jsx";
import "./preferences.css";

export function Preferences({ onClose }) {
  useBackStep(true, onClose);
  return (
    <Dialog.Root open onOpenChange={(isOpen) => isOpen || onClose()}>
      <Dialog.Content
        className="preferences framed"
        maxWidth="34rem"
        onOpenAutoFocus={rememberDialogOpener}
        onCloseAutoFocus={giveDialogFocusBack}
      >
        <div className="framed-form">
          <div className="framed-head">
            <Dialog.Title>Preferences</Dialog.Title>
            <Dialog.Description size="2">They hold in this browser, from now on.</Dialog.Description>
          </div>
          <div className="framed-body">
            <RadioChoice
              choice={citationStyle}
              legend="Citations"
              help="Names need a wide screen."
              words={{ numbers: "Numbers", names: "Numbers and names" }}
            />
            <RadioChoice
              choice={announcements}
              legend="What a screen reader announces"
              help="Of an answer while it is written. Errors are always announced."
              words={{
                sentences: "All sentences of an answer",
                ends: "Only that an answer begins and ends",
                nothing: "Nothing of an answer",
              }}
            />
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
