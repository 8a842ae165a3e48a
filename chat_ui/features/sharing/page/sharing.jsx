// The commands that share a conversation, and list the links.

import { Link2 } from "lucide-react";
import { useCommand } from "../../../page/commands/commands.js";
import { useDialogs } from "../../../page/commands/dialogs.jsx";
import { t } from "../../../page/languages/language.js";
import { allows } from "../../../page/painted/options.js";

export function Sharing({ links, conversation, title }) {
  const [dialog, open] = useDialogs(() => import("./dialogs.js"));
  const mayShare = allows("shared_links");
  const list = () => open("links", { links });
  const share = (given) => open("share", { links, given, onLinks: list });
  // Of any conversation, by its `id` and `title`.
  useCommand("share", mayShare && share);
  const entry = { entry: t("Share…"), place: 10, sign: Link2 };
  useCommand("share-open", mayShare && conversation && (() => share({ id: conversation, title })), entry);
  useCommand("links", mayShare && list);
  return dialog;
}
