// The dialog with a reader's own choices, which this browser keeps.

import { Dialog } from "@radix-ui/themes";
import { useRef } from "react";
import { t } from "../languages/language.js";
import "../languages/later.js";
import { useBackStep } from "../shared/back_steps.js";
import { giveDialogFocusBack, rememberDialogOpener } from "../shared/focus.js";
import { announcements } from "../speech/announcements.js";
import { citationStyle } from "./citation_style.js";
import { LanguageChoice } from "./language_choice.jsx";
import { RadioChoice } from "./radio_choice.jsx";
import "./preferences.css";

export function Preferences({ onClose, atLanguage = false }) {
  const language = useRef(null);
  useBackStep(true, onClose);
  return (
    <Dialog.Root open onOpenChange={(isOpen) => isOpen || onClose()}>
      <Dialog.Content
        className="preferences framed"
        maxWidth="34rem"
        onOpenAutoFocus={(event) => {
          rememberDialogOpener(event);
          if (!atLanguage) return;
          event.preventDefault();
          language.current.focus();
        }}
        onCloseAutoFocus={giveDialogFocusBack}
      >
        <div className="framed-form">
          <div className="framed-head">
            <Dialog.Title>{t("Preferences")}</Dialog.Title>
            <Dialog.Description size="2">{t("They hold in this browser, from now on.")}</Dialog.Description>
          </div>
          <div className="framed-body">
            <LanguageChoice ref={language} />
            <RadioChoice
              choice={citationStyle}
              legend={t("Citations")}
              help={t("Names need a wide screen.")}
              words={{ numbers: t("Numbers"), names: t("Numbers and names") }}
            />
            <RadioChoice
              choice={announcements}
              legend={t("What a screen reader announces")}
              help={t("Of an answer while it is written. Errors are always announced.")}
              words={{
                sentences: t("All sentences of an answer"),
                ends: t("Only that an answer begins and ends"),
                nothing: t("Nothing of an answer"),
              }}
            />
          </div>
          <div className="framed-foot dialog-buttons">
            <span className="spacer" />
            <Dialog.Close>
              <button type="button" className="button">
                {t("Close")}
              </button>
            </Dialog.Close>
          </div>
        </div>
      </Dialog.Content>
    </Dialog.Root>
  );
}

/** The same, at the choice of language. */
export const LanguagePreferences = (props) => <Preferences {...props} atLanguage />;
