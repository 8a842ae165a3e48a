import { Dialog } from "@radix-ui/themes";
import { useBackStep } from "./back_steps.js";
import { giveDialogFocusBack, rememberDialogOpener } from "./focus.js";
import { leaveToInputMethod } from "./hearing.js";

/**
 * A dialog that is open while mounted: Escape, a press outside and Back call `onClose`. `onOpened` gets the event of
 * the focus, `onClosed` is called once the focus has returned. Other props go to its content.
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
