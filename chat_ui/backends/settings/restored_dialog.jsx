// A dialog that the server opens, and that outlasts the server: a new state gets the typed fields.

import { Dialog } from "@radix-ui/themes";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { t } from "../../page/languages/language.js";
import { BackStep } from "../../page/shared/back_steps.js";
import { Button } from "../../page/shared/button.jsx";
import { hear } from "../../page/shared/hearing.js";
import { OpenDialog } from "../../page/shared/open_dialog.jsx";

const RESTORED = "chat-ui-restored";

/** Call `again` once a new state has the former one's fields; returns a function that ends that. */
export const onRestored = (again) => hear(window, { [RESTORED]: again });

/** Asks whether to drop changed fields. */
function Discarding({ onKeep, onDiscard }) {
  return (
    <OpenDialog role="alertdialog" maxWidth="24rem" aria-describedby={undefined} onClose={onKeep}>
      <Dialog.Title mb="4">{t("Discard changes?")}</Dialog.Title>
      <div className="dialog-buttons">
        <span className="spacer" />
        <Button onClick={onKeep}>{t("Keep editing")}</Button>
        <Button isPrimary onClick={onDiscard}>
          {t("Discard")}
        </Button>
      </div>
    </OpenDialog>
  );
}

/**
 * `openings` counts how often the state has opened the dialog; `onRestore` gets the `fields`. Escape, a press outside
 * and Back ask before changed fields are dropped.
 */
export function RestoredDialog({ open, openings, fields, onRestore, onOpenChange, children }) {
  const last = useRef(null);
  const [asked, setAsked] = useState({ isAsking: false, times: 0 });
  // The fields at the opening, and whether text was typed since.
  const opened = useRef({ fields: "", isTyped: false });
  const now = JSON.stringify(fields);
  if (open && last.current === null) opened.current = { fields: now, isTyped: false };
  if (open) last.current = fields;
  else if (openings > 0) last.current = null;
  const isLost = !open && last.current !== null;
  const isShown = open || isLost;

  useLayoutEffect(() => {
    if (!isLost) return;
    const { rows, editing, is_new, texts, switches } = last.current;
    onRestore?.(editing, is_new, texts, switches, Object.fromEntries(rows.map(({ key, value }) => [key, value])));
    // Changes that the former state missed are newer.
    dispatchEvent(new Event(RESTORED));
  }, [isLost]);
  useEffect(() => {
    if (!isShown) return undefined;
    const typed = ({ target }) => {
      if (target.closest(".settings")) opened.current.isTyped = true;
    };
    return hear(document, { input: typed });
  }, [isShown]);

  const keep = () => setAsked(({ times }) => ({ isAsking: false, times: times + 1 }));
  const close = () => {
    keep();
    last.current = null;
    onOpenChange?.(false);
  };
  const leave = () => {
    const { fields: before, isTyped } = opened.current;
    // Radix gives an Escape to this dialog until the question has rendered again: it is the question's.
    if (isTyped || now !== before)
      setAsked(({ isAsking, times }) => ({ isAsking: !isAsking, times: times + Number(isAsking) }));
    else close();
  };
  return (
    <Dialog.Root open={isShown} onOpenChange={(isOpen) => isOpen || leave()}>
      {isShown && <BackStep key={asked.times} onBack={leave} />}
      {children}
      {isShown && asked.isAsking && <Discarding onKeep={keep} onDiscard={close} />}
    </Dialog.Root>
  );
}
