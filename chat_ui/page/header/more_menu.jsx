// The menu of what is seldom needed.

import { DropdownMenu } from "@radix-ui/themes";
import { Ellipsis, Languages } from "lucide-react";
import { useContext, useRef } from "react";
import { ColorModeContext } from "$/utils/context";
import { run, useCommand } from "../../features/commands/page/commands.js";
import { isOn } from "../../features/commands/page/shortcuts.js";
import { t } from "../languages/language.js";
import { IconButton } from "../shared/icon_button.jsx";
import { isApple } from "../shared/pressed.js";
import "../preferences/citation_style.js";
import { leaveFocus } from "../shared/focus.js";
import { leavingFor, useLandmark } from "../shared/menu.jsx";

const themes = () => [
  ["light", t("Light")],
  ["dark", t("Dark")],
  ["system", t("As the system")],
];

// The server's render has no document; the menu is there later.
const isOpenToPeople = () => globalThis.document?.documentElement.dataset.settings !== "hidden";

export function MoreMenu({ onSettings, comparing, onCompare }) {
  const { rawColorMode, setColorMode } = useContext(ColorModeContext);
  const { landmark, ref } = useLandmark();
  const button = useRef(null);
  useCommand("settings", isOpenToPeople() && onSettings);
  useCommand("compare", !comparing && onCompare);
  const command = (name, words, { keys = undefined, className = undefined } = {}) => (
    <DropdownMenu.Item
      className={className}
      shortcut={isOn(name) ? keys : undefined}
      onSelect={leavingFor(button, () => run(name))}
    >
      {words}
    </DropdownMenu.Item>
  );
  const language = (
    <>
      <Languages size={14} aria-hidden />
      {t("Language…")}
    </>
  );
  return (
    // Elements that a modal menu hides from screen readers would still take the focus.
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger ref={ref}>
        <IconButton ref={button} label={t("More")} sign={Ellipsis} size={18} />
      </DropdownMenu.Trigger>
      <DropdownMenu.Content container={landmark} align="end" variant="soft" color="gray" onCloseAutoFocus={leaveFocus}>
        {command("palette", t("Search and commands…"), { keys: `${isApple() ? "⌘" : t("Ctrl")} K` })}
        <DropdownMenu.Separator />
        {command("present", t("Present"), { keys: "F2" })}
        {command("script", t("Presentation script…"))}
        <DropdownMenu.Separator />
        <DropdownMenu.RadioGroup value={rawColorMode} onValueChange={setColorMode} aria-label={t("Colour theme")}>
          <DropdownMenu.Label>{t("Colour theme")}</DropdownMenu.Label>
          {themes().map(([mode, name]) => (
            <DropdownMenu.RadioItem key={mode} value={mode}>
              {name}
            </DropdownMenu.RadioItem>
          ))}
        </DropdownMenu.RadioGroup>
        <DropdownMenu.Separator />
        {comparing ? command("end-comparison", t("End the comparison")) : command("compare", t("Compare"))}
        <DropdownMenu.Separator />
        {command("language", language, { className: "menu-language" })}
        {command("preferences", t("Preferences"))}
        {command("shortcuts", t("Keyboard shortcuts"), { keys: "?" })}
        {isOpenToPeople() && command("settings", t("Backend settings"))}
      </DropdownMenu.Content>
    </DropdownMenu.Root>
  );
}
