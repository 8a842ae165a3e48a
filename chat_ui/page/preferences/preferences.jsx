// The dialog with a reader's choices, stored in this browser.

import { useRef } from "react";
import { t } from "../languages/language.js";
import { allows } from "../painted/options.js";
import { FramedDialog } from "../shared/framed_dialog.jsx";
import { adopt } from "../shared/stylesheets.js";
import { announcements } from "../announcing/announced_answer.js";
import { citationStyle } from "./citation_style.js";
import { claimMarks } from "./claim_marks.js";
import { LanguageChoice } from "./language_choice.jsx";
import rules from "./preferences.css?inline";
import { RadioChoice } from "./radio_choice.jsx";

adopt(rules);

export function Preferences({ onClose, atLanguage = false }) {
  const language = useRef(null);
  return (
    <FramedDialog
      maxWidth="34rem"
      title={t("Preferences")}
      description={t("Saved in this browser.")}
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
        help={t("Source names appear on wide screens.")}
        words={{ numbers: t("Numbers"), names: t("Numbers and names") }}
      />
      {allows("claims") && (
        <RadioChoice
          choice={claimMarks}
          legend={t("Differences from cited passages")}
          words={{ reading: t("Shown"), always: t("Shown, also in presentations"), never: t("Hidden") }}
        />
      )}
      <RadioChoice
        choice={announcements}
        legend={t("Screen reader announcements")}
        help={t("While an answer is being written. Errors are always announced.")}
        words={{ sentences: t("Every sentence"), ends: t("Only start and end"), nothing: t("Nothing") }}
      />
    </FramedDialog>
  );
}

/** The same dialog, at the choice of language. */
export const LanguagePreferences = (props) => <Preferences {...props} atLanguage />;
