import { Dialog } from "@radix-ui/themes";
import { useBackStep } from "./back_steps.js";
import { giveDialogFocusBack, rememberDialogOpener } from "./focus.js";
import { leaveToInputMethod } from "./pressed.js";

/**
 * A dialog that is open for as long as it is on the page: Escape, a press beside it and Back call `onClose`. `onOpened` is
 * called with the event of the focus, `onClosed` once the focus is back; all else goes to its content.
 * @param {{ onClose: () => void, onOpened?: (event: Event) => void, onClosed?: () => void }
 *   & import("react").ComponentProps<typeof Dialog.Content>} props
 */
export function OpenDialog({ onClose, onOpened, onClosed, ...content }) {
  useBackStep(true, onClose);
  return (
    <Dialog.Root open onOpenChange={(isOpen) => isOpen || onClose()}>
      <Dialog.Content
        onOpenAutoFocus={(event) => {
          rememberDialogOpener(event);
          onOpened?.(event);
        }}
        onCloseAutoFocus={(event) => {
          giveDialogFocusBack(event);
          onClosed?.();
        }}
        onEscapeKeyDown={leaveToInputMethod}
        {...content}
      />
    </Dialog.Root>
  );
}
