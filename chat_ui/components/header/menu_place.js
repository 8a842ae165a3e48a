// The container of the header's menus, and the focus when one is left.

import { useEffect, useState } from "react";

/** The header: by default a menu stands outside of the page's landmarks. */
export function useHeader() {
  const [header, setHeader] = useState(null);
  useEffect(() => setHeader(document.querySelector("header")), []);
  return header;
}

/** What leaves a menu for a dialog: the focus is back at the menu's `opener` at once, so that the dialog knows of it. */
export const leavingFor = (opener, act) => () => {
  opener.current.focus({ preventScroll: true });
  act();
};
