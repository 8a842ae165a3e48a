// The commands that share a conversation, and list the links.

import { useCommand } from "../../../page/commands/commands.js";
import { useDialogs } from "../../../page/commands/dialogs.jsx";
import { allows } from "../../../page/painted/options.js";

export function Sharing({ links }) {
  const [dialog, open] = useDialogs(() => import("./dialogs.js"));
  const mayShare = allows("shared_links");
  const list = () => open("links", { links });
  // Of any conversation, by its `id` and `title`.
  useCommand("share", mayShare && ((given) => open("share", { links, given, onLinks: list })));
  useCommand("links", mayShare && list);
  return dialog;
}
