// The container of the header's menus, and the focus when one is left.

import { useEffect, useRef, useState } from "react";

/** The header: by default a menu stands outside of the page's landmarks. */
export function useHeader() {
  const [header, setHeader] = useState(null);
  useEffect(() => setHeader(document.querySelector("header")), []);
  return header;
}

/**
 * What leaves a menu for a dialog: `leaving(act)` gives the focus back to the `opener` at once, so that the dialog knows
 * where it was opened, and the menu, which is gone a little later, does not take it out of the dialog.
 */
export function useLeaving(opener) {
  const isLeft = useRef(false);
  return {
    leaving: (act) => () => {
      isLeft.current = true;
      opener.current.focus({ preventScroll: true });
      act();
    },
    onCloseAutoFocus: (event) => {
      if (isLeft.current) event.preventDefault();
      isLeft.current = false;
    },
  };
}
