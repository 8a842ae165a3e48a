// The button that copies a text, and reports the outcome.

import { useState } from "react";
import { t } from "../languages/language.js";
import { announce } from "../announcing/announcer.jsx";
import { Button } from "./button.jsx";

/** @param {{ text: string, words: string, label?: string, isPrimary?: boolean }} props */
export function CopyText({ text, words, label, isPrimary }) {
  const [outcome, setOutcome] = useState("");
  const copy = () =>
    navigator.clipboard.writeText(text).then(
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
    <Button isPrimary={isPrimary} aria-label={label} onClick={copy}>
      {outcome || words}
    </Button>
  );
}
