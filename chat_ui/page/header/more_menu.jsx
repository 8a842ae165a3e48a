// The menu of rare actions.

import { DropdownMenu } from "@radix-ui/themes";
import { Ellipsis, Languages } from "lucide-react";
import { Fragment, useContext, useRef, useSyncExternalStore } from "react";
import { ColorModeContext } from "$/utils/context";
import { listen, possible, run, useCommand } from "../commands/commands.js";
import { isOn } from "../commands/shortcuts.js";
import { t } from "../languages/language.js";
import { IconButton } from "../shared/icon_button.jsx";
import { isApple } from "../shared/pressed.js";
import "../preferences/citation_style.js";
import { leaveFocus } from "../shared/focus.js";
import { leavingFor, useLandmark } from "../shared/menu.jsx";

const themes = () => [
  ["light", t("Light")],
  ["dark", t("Dark")],
  ["system", t("System")],
];

// Without a document during server-side rendering; the menu appears later.
const isOpenToPeople = () => globalThis.document?.documentElement.dataset.settings !== "hidden";

const NONE = [];

export function MoreMenu({ onSettings }) {
  const { rawColorMode, setColorMode } = useContext(ColorModeContext);
  const { landmark, ref } = useLandmark();
  const button = useRef(null);
  const names = useSyncExternalStore(listen, possible, () => NONE);
  useCommand("settings", isOpenToPeople() && onSettings);
  const command = (name, words, { keys = undefined, className = undefined } = {}) =>
    names.includes(name) && (
      <DropdownMenu.Item
        key={name}
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
  const themeChoice = (
    <DropdownMenu.RadioGroup
      key="theme"
      value={rawColorMode}
      onValueChange={setColorMode}
      aria-label={t("Colour theme")}
    >
      <DropdownMenu.Label>{t("Colour theme")}</DropdownMenu.Label>
      {themes().map(([mode, name]) => (
        <DropdownMenu.RadioItem key={mode} value={mode}>
          {name}
        </DropdownMenu.RadioItem>
      ))}
    </DropdownMenu.RadioGroup>
  );
  const groups = [
    [command("palette", t("Search and commands…"), { keys: `${isApple() ? "⌘" : t("Ctrl")} K` })],
    [command("present", t("Present"), { keys: "F2" }), command("script", t("Presentation script…"))],
    [themeChoice],
    [command("end-comparison", t("End comparison")) || command("compare", t("Compare"))],
    [
      command("language", language, { className: "menu-language" }),
      command("preferences", t("Preferences")),
      command("shortcuts", t("Keyboard shortcuts"), { keys: "?" }),
      command("settings", t("Backend settings")),
    ],
  ].filter((items) => items.some(Boolean));
  return (
    // Elements that a modal menu hides from screen readers would still take the focus.
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger ref={ref}>
        <IconButton ref={button} label={t("More")} sign={Ellipsis} size={18} />
      </DropdownMenu.Trigger>
      <DropdownMenu.Content container={landmark} align="end" variant="soft" color="gray" onCloseAutoFocus={leaveFocus}>
        {groups.map((items, number) => (
          <Fragment key={number}>
            {number > 0 && <DropdownMenu.Separator />}
            {items}
          </Fragment>
        ))}
      </DropdownMenu.Content>
    </DropdownMenu.Root>
  );
}
