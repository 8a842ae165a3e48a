// A dialog that the server holds open, and that outlasts the server: where its state is gone, the dialog stays, and a new
// state gets what was typed.

import { Dialog } from "@radix-ui/themes";
import { useLayoutEffect, useRef } from "react";
import { hear } from "../../page/shared/hearing.js";

const RESTORED = "chat-ui-restored";

/** Call `again` once a new state has got what the former one had; returns what ends that. */
export const onRestored = (again) => hear(window, { [RESTORED]: again });

/** `openings` counts how often the state has opened the dialog; `fields` are what `onRestore` gets. */
export function RestoredDialog({ open, openings, fields, onRestore, onOpenChange, children }) {
  const last = useRef(null);
  if (open) last.current = fields;
  else if (openings > 0) last.current = null;
  const isLost = !open && last.current !== null;

  useLayoutEffect(() => {
    if (!isLost) return;
    const { rows, editing, is_new, texts, switches } = last.current;
    onRestore?.(editing, is_new, texts, switches, Object.fromEntries(rows.map(({ key, value }) => [key, value])));
    // What the former state never heard of is newer.
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
