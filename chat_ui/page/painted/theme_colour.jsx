// The colour of the browser's or system's bar around the page: the background of the person's theme. The document has
// one for each theme of the system.

import { useContext, useEffect } from "react";
import { ColorModeContext } from "$/utils/context";

const grounds = new Map();

export function ThemeColour() {
  const { rawColorMode } = useContext(ColorModeContext);

  useEffect(() => {
    const colours = /** @type {HTMLMetaElement[]} */ ([...document.querySelectorAll('meta[name="theme-color"]')]);
    for (const meta of colours) if (!grounds.has(meta)) grounds.set(meta, meta.content);
    const chosen = colours.find(({ media }) => media.includes(rawColorMode));
    for (const meta of colours) meta.content = grounds.get(chosen ?? meta);
  }, [rawColorMode]);
  return null;
}
