// The entry Your files of the paper clip.

import { useMemo } from "react";
import { useDialogs } from "../../../page/commands/dialogs.jsx";
import { t } from "../../../page/languages/language.js";
import { useProvide } from "../../../page/shared/provided.js";

/** The files are at `address`, stored by the backend `name`. */
export function YourFiles({ name, address }) {
  const [dialog, open] = useDialogs(() => import("./your_files_dialog.jsx"));
  const entries = useMemo(
    () => [{ label: t("Your files"), onSelect: () => open("YourFilesDialog", { name, address }) }],
    [name, address],
  );
  useProvide("attach-menu", entries);
  return dialog;
}
