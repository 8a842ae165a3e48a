// The shortcuts of the page, and their dialogs.

import { useEffect } from "react";
import { run, useCommand } from "../../../page/commands/commands.js";
import { useDialogs } from "../../../page/commands/dialogs.jsx";
import { calledBy } from "../../../page/commands/shortcuts.js";
import { hear } from "../../../page/shared/hearing.js";

export function CommandKeys(props) {
  const [dialog, open] = useDialogs(() => import("./dialogs.js"), props);
  useCommand("palette", () => open("palette"));
  useCommand("language", () => open("language"));
  useCommand("preferences", () => open("preferences"));
  useCommand("shortcuts", () => open("shortcuts"));
  useEffect(() => {
    const key = (event) => {
      const name = calledBy(event);
      if (name && run(name)) event.preventDefault();
    };
    return hear(document, { keydown: key });
  }, []);
  return dialog;
}
