// Asks a person before the browser sends speech or text to others.

import { Dialog } from "@radix-ui/themes";
import { useState } from "react";
import { t } from "../../../page/languages/language.js";
import { Button } from "../../../page/shared/button.jsx";
import { OpenDialog } from "../../../page/shared/open_dialog.jsx";

/**
 * `mayAsk` resolves to whether the person consents; it asks once for each `key`, under which the browser stores the
 * answer. The `dialog` asks, until `forget`.
 */
export function useConsent() {
  const [asked, setAsked] = useState(null);
  const forget = () => setAsked(null);
  const mayAsk = async (key, question) => {
    if (localStorage.getItem(key) === "yes") return true;
    const isAllowed = await new Promise((onDecide) => setAsked({ ...question, onDecide }));
    forget();
    if (isAllowed) localStorage.setItem(key, "yes");
    return isAllowed;
  };
  return { mayAsk, forget, dialog: asked && <Consent {...asked} /> };
}

/**
 * Calls `onDecide` with whether the person chose the `action`.
 * @param {{ title: string, action: string, words: string,
 *   onDecide: (isAllowed: boolean) => void }} props
 */
function Consent({ title, action, words, onDecide }) {
  return (
    <OpenDialog role="alertdialog" maxWidth="28rem" onClose={() => onDecide(false)}>
      <Dialog.Title>{title}</Dialog.Title>
      <Dialog.Description>{words}</Dialog.Description>
      <div className="dialog-buttons consent-buttons">
        <Button onClick={() => onDecide(false)}>{t("Cancel")}</Button>
        <Button isPrimary onClick={() => onDecide(true)}>
          {action}
        </Button>
      </div>
    </OpenDialog>
  );
}
