// The command that exports a conversation, by its id, as a page.

import { useCommand } from "../../../page/commands/commands.js";
import { useDialogs } from "../../../page/commands/dialogs.jsx";

export function Exporting({ address }) {
  const [dialog, open] = useDialogs(() => import("./export_page.jsx"));
  useCommand("export-page", (exported) => open("ExportPage", { address, exported }));
  return dialog;
}
