// The button that copies an answer, and a menu with other formats.

import { ChevronDown, Copy } from "lucide-react";
import { t } from "../languages/language.js";
import { useCommand } from "../commands/commands.js";
import { CopyingButton, useCopying } from "../shared/copy_button.jsx";
import { IconButton } from "../shared/button.jsx";
import { Menu } from "../shared/menu.jsx";

export function CopyAnswer({ address, cites, isLatest }) {
  const copying = useCopying();
  const markdown = `${address}/markdown`;
  const copy = () => copying.copy(markdown, `${address}/rich`);
  useCommand("copy", isLatest && copy);
  const ways = [{ label: t("Markdown only"), onSelect: () => copying.copy(markdown) }];
  if (cites) ways.push({ label: t("Without citations"), onSelect: () => copying.copy(`${markdown}?plain`) });
  return (
    <span className="copy-answer">
      <CopyingButton copying={copying} label={t("Copy answer")} onClick={copy}>
        <Copy size={16} aria-hidden />
        <span className="tool-label">{t("Copy")}</span>
      </CopyingButton>
      <Menu button={<IconButton label={t("Other ways to copy")} sign={ChevronDown} size={14} />} items={ways} />
    </span>
  );
}
