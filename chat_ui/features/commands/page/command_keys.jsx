// The keys of the page, and the dialogs that they open, which load then.

import { useEffect, useState } from "react";
import { allows } from "../../branding/page/branding.js";
import { t } from "../../../page/languages/language.js";
import { hear } from "../../../page/shared/hearing.js";
import { needed } from "../../../page/shared/loading.js";
import { announce } from "../../speech/page/announcer.jsx";
import { run, useCommand } from "./commands.js";
import { calledBy } from "./shortcuts.js";

export function CommandKeys(props) {
  const [opened, setOpened] = useState(null);
  const open = async (name, values) => {
    const dialogs = await needed(() => import("./dialogs.js"));
    if (dialogs) setOpened({ Dialog: dialogs[name], values });
    else announce(t("That could not be loaded. Try again in a little while."));
  };
  useCommand("palette", () => open("palette"));
  useCommand("language", () => open("language"));
  useCommand("preferences", () => open("preferences"));
  useCommand("shortcuts", () => open("shortcuts"));
  useCommand("export-page", (exported) => open("exportPage", { exported }));
  // Of any conversation, by its `id` and `title`.
  const share = (given) => open("share", { given, onLinks: () => open("links") });
  useCommand("share", allows("shared_links") && share);
  useCommand("links", allows("shared_links") && (() => open("links")));
  useEffect(() => {
    const key = (event) => {
      const name = calledBy(event);
      if (name && run(name)) event.preventDefault();
    };
    return hear(document, { keydown: key });
  }, []);
  return opened && <opened.Dialog {...props} {...opened.values} onClose={() => setOpened(null)} />;
}
