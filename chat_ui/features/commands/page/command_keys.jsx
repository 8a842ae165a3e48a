// The shortcuts of the page, and their dialogs.

import { useEffect } from "react";
import { run, useCommand } from "../../../page/commands/commands.js";
import { useDialogs } from "../../../page/commands/dialogs.jsx";
import { t } from "../../../page/languages/language.js";
import { calledBy } from "../../../page/commands/shortcuts.js";
import { hear } from "../../../page/shared/hearing.js";

export function CommandKeys(props) {
  const [dialog, open] = useDialogs(() => import("./dialogs.js"), props);
  useCommand("palette", () => open("palette"), { entry: t("Search and commands…"), place: 0 });
  useCommand("language", () => open("language"));
  useCommand("preferences", () => open("preferences"), { entry: t("Preferences"), place: 31 });
  useCommand("shortcuts", () => open("shortcuts"), { entry: t("Keyboard shortcuts"), place: 32 });
  useEffect(() => {
    const key = (event) => {
      const name = calledBy(event);
      if (name && run(name)) event.preventDefault();
    };
    return hear(document, { keydown: key });
  }, []);
  return dialog;
}
