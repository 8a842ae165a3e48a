// On a small screen a panel is a sheet over the page: the page behind it is inert, and a press outside and Back close
// it.

import { useLayoutEffect } from "react";
import { useBackStep } from "./back_steps.js";
import { rememberOpener } from "./focus.js";
import { hear } from "./hearing.js";
import { NARROW, isNarrow } from "./narrow.js";

const PARTS = ".page > *, .columns > *, .main > *";

const sheets = [];

function cover() {
  const top = isNarrow() ? sheets.at(-1) : undefined;
  for (const part of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(PARTS))) {
    // The live region stays audible, and the buttons of a presentation are below the sheet.
    part.inert = top !== undefined && !part.contains(top) && !part.matches(".scrim, .stage, [aria-live]");
  }
  if (top && !top.contains(document.activeElement)) top.focus({ preventScroll: true });
}

/** Make the focusable element of `region` a sheet while mounted, which `onClose` closes; the focus then returns. */
export function useSheet(region, onClose) {
  useBackStep(true, onClose);
  useLayoutEffect(() => {
    const sheet = region.current;
    rememberOpener(sheet);
    sheets.push(sheet);
    cover();
    const leave = hear(matchMedia(NARROW), { change: cover });
    return () => {
      leave();
      sheets.splice(sheets.indexOf(sheet), 1);
      cover();
    };
  }, []);
}

// The press closes the sheet, which then returns the focus: the press does not take it.
export const Scrim = ({ onClose }) => (
  <div className="scrim screen-only" onMouseDown={(event) => event.preventDefault()} onClick={() => onClose?.()} />
);
