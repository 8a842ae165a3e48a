// The menu of what is seldom needed.

import { DropdownMenu } from "@radix-ui/themes";
import { Ellipsis, Languages } from "lucide-react";
import { useContext, useRef } from "react";
import { ColorModeContext } from "$/utils/context";
import { run, useCommand } from "../commands/commands.js";
import { isOn } from "../commands/shortcuts.js";
import { t } from "../languages/language.js";
import { IconButton } from "../shared/icon_button.jsx";
import { isApple } from "../shared/pressed.js";
import "../preferences/citation_style.js";
import { leaveFocus } from "../shared/focus.js";
import { leavingFor, useHeader } from "./menu_place.js";

const themes = () => [
  ["light", t("Light")],
  ["dark", t("Dark")],
  ["system", t("As the system")],
];

// The server's render has no document; the menu is there later.
const isOpenToPeople = () => globalThis.document?.documentElement.dataset.settings !== "hidden";

export function MoreMenu({ onSettings, comparing, onCompare }) {
  const { rawColorMode, setColorMode } = useContext(ColorModeContext);
  const header = useHeader();
  const button = useRef(null);
  useCommand("settings", isOpenToPeople() && onSettings);
  useCommand("compare", !comparing && onCompare);
  const keys = (name, ofOne) => (isOn(name) ? ofOne : undefined);
  return (
    // Elements that a modal menu hides from screen readers would still take the focus.
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger>
        <IconButton ref={button} label={t("More")} sign={Ellipsis} size={18} />
      </DropdownMenu.Trigger>
      <DropdownMenu.Content container={header} align="end" variant="soft" color="gray" onCloseAutoFocus={leaveFocus}>
        <DropdownMenu.Item
          shortcut={keys("palette", [isApple() ? "⌘" : t("Ctrl"), "K"].join(" "))}
          onSelect={leavingFor(button, () => run("palette"))}
        >
          {t("Search and commands…")}
        </DropdownMenu.Item>
        <DropdownMenu.Separator />
        <DropdownMenu.Item shortcut={keys("present", "F2")} onSelect={leavingFor(button, () => run("present"))}>
          {t("Present")}
        </DropdownMenu.Item>
        <DropdownMenu.Item onSelect={leavingFor(button, () => run("script"))}>
          {t("Presentation script…")}
        </DropdownMenu.Item>
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
        <DropdownMenu.Item onSelect={leavingFor(button, () => run(comparing ? "end-comparison" : "compare"))}>
          {comparing ? t("End the comparison") : t("Compare")}
        </DropdownMenu.Item>
        <DropdownMenu.Separator />
        <DropdownMenu.Item onSelect={leavingFor(button, () => run("language"))} className="menu-language">
          <Languages size={14} aria-hidden />
          {t("Language…")}
        </DropdownMenu.Item>
        <DropdownMenu.Item onSelect={leavingFor(button, () => run("preferences"))}>
          {t("Preferences")}
        </DropdownMenu.Item>
        <DropdownMenu.Item shortcut={keys("shortcuts", "?")} onSelect={leavingFor(button, () => run("shortcuts"))}>
          {t("Keyboard shortcuts")}
        </DropdownMenu.Item>
        {isOpenToPeople() && (
          <DropdownMenu.Item onSelect={leavingFor(button, onSettings)}>{t("Backend settings")}</DropdownMenu.Item>
        )}
      </DropdownMenu.Content>
    </DropdownMenu.Root>
  );
}
