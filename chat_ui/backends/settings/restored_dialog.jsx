// A dialog that the server opens, and that outlasts the server: a new state gets the typed fields.

import { Dialog } from "@radix-ui/themes";
import { useLayoutEffect, useRef } from "react";
import { hear } from "../../page/shared/hearing.js";

const RESTORED = "chat-ui-restored";

/** Call `again` once a new state has the former one's fields; returns a function that ends that. */
export const onRestored = (again) => hear(window, { [RESTORED]: again });

/** `openings` counts how often the state has opened the dialog; `onRestore` gets the `fields`. */
export function RestoredDialog({ open, openings, fields, onRestore, onOpenChange, children }) {
  const last = useRef(null);
  if (open) last.current = fields;
  else if (openings > 0) last.current = null;
  const isLost = !open && last.current !== null;

  useLayoutEffect(() => {
    if (!isLost) return;
    const { rows, editing, is_new, texts, switches } = last.current;
    onRestore?.(editing, is_new, texts, switches, Object.fromEntries(rows.map(({ key, value }) => [key, value])));
    // Changes that the former state missed are newer.
    dispatchEvent(new Event(RESTORED));
  }, [isLost]);
  return (
    <Dialog.Root
      open={open || isLost}
      onOpenChange={(isOpen) => {
        if (!isOpen) last.current = null;
        onOpenChange?.(isOpen);
      }}
    >
      {children}
    </Dialog.Root>
  );
}
