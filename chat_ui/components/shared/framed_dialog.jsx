// A dialog that is as high as the window allows: a head, a middle that scrolls, and a foot with what leaves it.

import { Dialog } from "@radix-ui/themes";
import { t } from "../languages/language.js";
import { useBackStep } from "./back_steps.js";
import { giveDialogFocusBack, rememberDialogOpener } from "./focus.js";
import { Button } from "./button.jsx";

/**
 * `leave` are the words of the button that closes it, between what is `before` and `after` that in the foot. `frame` and
 * `body` are attributes of the whole and of its middle. `onOpened` and `onClosed` are called with the event of the focus.
 * @param {{ className: string, maxWidth: string, title: import("react").ReactNode, description: import("react").ReactNode,
 *   leave?: string, before?: import("react").ReactNode, after?: import("react").ReactNode, frame?: object, body?: object,
 *   onOpened?: (event: Event) => void, onClosed?: () => void, onClose: () => void, children: import("react").ReactNode }} props
 */
export function FramedDialog({
  className,
  maxWidth,
  title,
  description,
  leave = t("Close"),
  before,
  after,
  frame,
  body,
  onOpened,
  onClosed,
  onClose,
  children,
}) {
  useBackStep(true, onClose);
  return (
    <Dialog.Root open onOpenChange={(isOpen) => isOpen || onClose()}>
      <Dialog.Content
        className={`${className} framed`}
        maxWidth={maxWidth}
        onOpenAutoFocus={(event) => {
          rememberDialogOpener(event);
          onOpened?.(event);
        }}
        onCloseAutoFocus={(event) => {
          giveDialogFocusBack(event);
          onClosed?.();
        }}
      >
        <div className="framed-form" {...frame}>
          <div className="framed-head">
            <Dialog.Title>{title}</Dialog.Title>
            <Dialog.Description size="2">{description}</Dialog.Description>
          </div>
          <div className="framed-body" {...body}>
            {children}
          </div>
          <div className="framed-foot dialog-buttons">
            {before}
            <span className="spacer" />
            <Dialog.Close>
              <Button>{leave}</Button>
            </Dialog.Close>
            {after}
          </div>
        </div>
      </Dialog.Content>
    </Dialog.Root>
  );
}
