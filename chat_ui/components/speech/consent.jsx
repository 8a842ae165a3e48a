// Asks a person before the browser sends what is said or read to others.

import { Dialog } from "@radix-ui/themes";
import { t } from "../languages/language.js";
import { Button } from "../shared/button.jsx";
import { useBackStep } from "../shared/back_steps.js";
import { giveDialogFocusBack, rememberDialogOpener } from "../shared/focus.js";

/**
 * Calls `onDecide` with whether the person chose the `action`.
 * @param {{ title: string, action: string, words: string,
 *   onDecide: (isAllowed: boolean) => void }} props
 */
export function Consent({ title, action, words, onDecide }) {
  useBackStep(true, () => onDecide(false));
  return (
    <Dialog.Root open onOpenChange={(isOpen) => isOpen || onDecide(false)}>
      <Dialog.Content
        role="alertdialog"
        maxWidth="28rem"
        onOpenAutoFocus={rememberDialogOpener}
        onCloseAutoFocus={giveDialogFocusBack}
      >
        <Dialog.Title>{title}</Dialog.Title>
        <Dialog.Description>{words}</Dialog.Description>
        <div className="dialog-buttons consent-buttons">
          <Button onClick={() => onDecide(false)}>{t("Cancel")}</Button>
          <Button isPrimary onClick={() => onDecide(true)}>
            {action}
          </Button>
        </div>
      </Dialog.Content>
    </Dialog.Root>
  );
}
