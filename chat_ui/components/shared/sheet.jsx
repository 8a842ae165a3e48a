// Where there is little room, a panel lies over the page as a sheet: what is behind it can then be neither reached nor
// read, and whoever presses beside it closes it.

import { useLayoutEffect } from "react";

export const NARROW = "(max-width: 60rem)";
const sheets = [];

function cover() {
  const top = matchMedia(NARROW).matches ? sheets.at(-1) : undefined;
  for (const part of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".page > *, .columns > *"))) {
    // What is said is heard wherever one is.
    part.inert = top !== undefined && !part.contains(top) && !part.matches(".scrim, [aria-live]");
  }
  if (top && !top.contains(document.activeElement)) top.focus({ preventScroll: true });
}

/** Have the element of `region`, which can have the focus, be a sheet for as long as it is there. */
export function useSheet(region) {
  useLayoutEffect(() => {
    const sheet = region.current;
    const narrow = matchMedia(NARROW);
    sheets.push(sheet);
    cover();
    narrow.addEventListener("change", cover);
    return () => {
      narrow.removeEventListener("change", cover);
      sheets.splice(sheets.indexOf(sheet), 1);
      cover();
    };
  }, []);
}

export const Scrim = ({ onClose }) => <div className="scrim" onClick={() => onClose?.()} />;
