// The commands that export a conversation.

import { Download } from "lucide-react";
import { useCommand } from "../../../page/commands/commands.js";
import { useDialogs } from "../../../page/commands/dialogs.jsx";
import { download } from "../../../page/shared/loading.js";
import { t } from "../../../page/languages/language.js";

export function Exporting({ address, conversation }) {
  const [dialog, open] = useDialogs(() => import("./export_page.jsx"));
  const choose = (exported) => open("ExportDialog", { address, exported });
  // Of any conversation, by its id.
  useCommand("export", choose);
  const take = (format) => (format ? download(`${address}${conversation}/export?as=${format}`) : choose(conversation));
  useCommand("export-open", conversation && take, { entry: t("Export…"), place: 11, sign: Download });
  return dialog;
}
