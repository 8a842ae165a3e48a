// A dialog as high as the window allows: a head, a scrolling middle, and a foot with the close button.

import { Dialog } from "@radix-ui/themes";
import { t } from "../languages/language.js";
import { OpenDialog } from "./open_dialog.jsx";
import { Button } from "./button.jsx";

/**
 * `leave` is the label of the close button, between `before` and `after` in the foot. `frame` and `body` are attributes
 * of the whole and of its middle. The others are those of `OpenDialog`.
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
  children,
  ...opening
}) {
  return (
    <OpenDialog className={`${className} framed`} maxWidth={maxWidth} {...opening}>
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
    </OpenDialog>
  );
}
