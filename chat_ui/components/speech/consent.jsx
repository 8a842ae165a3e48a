// Asks a person before the browser sends what is said or read to others.

import { AlertDialog } from "@radix-ui/themes";
import { giveDialogFocusBack, rememberDialogOpener } from "../shared/focus.js";

/**
 * Calls `onDecide` with whether the person chose the `action`.
 * @param {{ title: string, action: string, onDecide: (isAllowed: boolean) => void, children: string }} props
 */
export default function Consent({ title, action, onDecide, children }) {
  return (
    <AlertDialog.Root open onOpenChange={(isOpen) => isOpen || onDecide(false)}>
      <AlertDialog.Content
        maxWidth="28rem"
        onOpenAutoFocus={rememberDialogOpener}
        onCloseAutoFocus={giveDialogFocusBack}
      >
        <AlertDialog.Title>{title}</AlertDialog.Title>
        <AlertDialog.Description>{children}</AlertDialog.Description>
        <div className="dialog-buttons consent-buttons">
          <button type="button" className="button" onClick={() => onDecide(false)}>
            Cancel
          </button>
          <button type="button" className="button button-primary" onClick={() => onDecide(true)}>
            {action}
          </button>
        </div>
      </AlertDialog.Content>
    </AlertDialog.Root>
  );
}
