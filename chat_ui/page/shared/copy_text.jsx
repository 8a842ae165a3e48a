// The button that copies a text, and reports the outcome.

import { useState } from "react";
import { t } from "../languages/language.js";
import { announce } from "../announcing/announcer.jsx";
import { Button } from "./button.jsx";
import { notAllowed } from "./copy_button.jsx";

/** @param {{ text: string, words: string, label?: string, isPrimary?: boolean }} props */
export function CopyText({ text, words, label, isPrimary }) {
  const [outcome, setOutcome] = useState("");
  const tell = (shown, announced) => {
    setOutcome(shown);
    announce(announced);
  };
  const copy = () =>
    navigator.clipboard.writeText(text).then(
      () => tell(t("Copied"), t("Copied.")),
      () => tell(t("Not copied"), notAllowed()),
    );
  return (
    <Button isPrimary={isPrimary} aria-label={label} onClick={copy}>
      {outcome || words}
    </Button>
  );
}
