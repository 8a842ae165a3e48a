// The dialog with a reader's choices, stored in this browser.

import { useRef } from "react";
import { t } from "../languages/language.js";
import { FramedDialog } from "../shared/framed_dialog.jsx";
import { adopt } from "../shared/stylesheets.js";
import { announcements } from "../announcing/announced_answer.js";
import { citationStyle } from "./citation_style.js";
import { LanguageChoice } from "./language_choice.jsx";
import rules from "./preferences.css?inline";
import { RadioChoice } from "./radio_choice.jsx";

adopt(rules);

export function Preferences({ onClose, atLanguage = false }) {
  const language = useRef(null);
  return (
    <FramedDialog
      className="fits"
      maxWidth="34rem"
      title={t("Preferences")}
      description={t("They hold in this browser, from now on.")}
      onOpened={(event) => {
        if (!atLanguage) return;
        event.preventDefault();
        language.current.focus();
      }}
      onClose={onClose}
    >
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
    </FramedDialog>
  );
}

/** The same dialog, at the choice of language. */
export const LanguagePreferences = (props) => <Preferences {...props} atLanguage />;
