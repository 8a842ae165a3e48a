// A dialog as high as its content: a head with the cross, a scrolling middle, and a foot if it has buttons.

import { Dialog } from "@radix-ui/themes";
import { X } from "lucide-react";
import { t } from "../languages/language.js";
import { OpenDialog } from "./open_dialog.jsx";
import { Button, IconButton } from "./button.jsx";

/**
 * The foot has the buttons `before`, then Cancel if `canCancel`, then those `after`, the main one last. `frame` and
 * `body` are attributes of the whole and of its middle. The others are those of `OpenDialog`.
 * @param {{ className?: string, maxWidth: string, title: import("react").ReactNode,
 *   description?: import("react").ReactNode, canCancel?: boolean, before?: import("react").ReactNode,
 *   after?: import("react").ReactNode, frame?: object, body?: object, onOpened?: (event: Event) => void,
 *   onClosed?: () => void, onClose: () => void, children: import("react").ReactNode }} props
 */
export function FramedDialog({
  className = "",
  maxWidth,
  title,
  description,
  canCancel,
  before,
  after,
  frame,
  body,
  children,
  ...opening
}) {
  return (
    <OpenDialog
      className={`${className} framed`}
      maxWidth={maxWidth}
      {...(!description && { "aria-describedby": undefined })}
      {...opening}
    >
      <div className="framed-form" {...frame}>
        <div className="framed-head">
          <Dialog.Title>{title}</Dialog.Title>
          {description && <Dialog.Description size="2">{description}</Dialog.Description>}
        </div>
        <div className="framed-body" {...body}>
          {children}
        </div>
        {(before || after) && (
          <div className="framed-foot dialog-buttons">
            {before}
            <span className="spacer" />
            {canCancel && (
              <Dialog.Close>
                <Button>{t("Cancel")}</Button>
              </Dialog.Close>
            )}
            {after}
          </div>
        )}
      </div>
      {/* Last, so that the focus begins in the middle. */}
      <Dialog.Close>
        <IconButton className="framed-close" label={t("Close")} sign={X} size={18} />
      </Dialog.Close>
    </OpenDialog>
  );
}
