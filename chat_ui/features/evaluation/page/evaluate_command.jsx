// The command Evaluate…; its dialog loads when first opened.

import { useCommand } from "../../../page/commands/commands.js";
import { useDialogs } from "../../../page/commands/dialogs.jsx";
import { t } from "../../../page/languages/language.js";

export function EvaluateCommand({ command, onAsk }) {
  const [dialog, open] = useDialogs(() => import("./evaluate_dialog.jsx"), { command });
  const act = () => {
    onAsk();
    open("EvaluateDialog");
  };
  useCommand("evaluate", act, { label: t("Evaluate…"), hints: t("questions measure command line report") });
  return dialog;
}
