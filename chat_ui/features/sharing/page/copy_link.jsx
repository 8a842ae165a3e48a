// The button that copies a link, and reports the outcome.

import { useState } from "react";
import { t } from "../../../page/languages/language.js";
import { announce } from "../../../page/announcing/announcer.jsx";

/** @param {{ address: string, label?: string, isPrimary?: boolean }} props */
export function CopyLink({ address, label, isPrimary }) {
  const [outcome, setOutcome] = useState("");
  const copy = () =>
    navigator.clipboard.writeText(address).then(
      () => {
        setOutcome(t("Copied"));
        announce(t("Copied."));
      },
      () => {
        setOutcome(t("Not copied"));
        announce(t("The browser blocked copying. Allow access to the clipboard, or select the text and copy it."));
      },
    );
  return (
    <button type="button" className={isPrimary ? "button button-primary" : "button"} aria-label={label} onClick={copy}>
      {outcome || t("Copy link")}
    </button>
  );
}
