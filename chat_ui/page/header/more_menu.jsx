// The menu of rare actions, and buttons for those on the conversation.

import { DropdownMenu } from "@radix-ui/themes";
import { Ellipsis } from "lucide-react";
import { Fragment, useContext, useRef, useSyncExternalStore } from "react";
import { ColorModeContext } from "$/utils/context";
import { listen, menuEntries, possible, run, useCommand } from "../commands/commands.js";
import { SHORTCUTS, isOn } from "../commands/shortcuts.js";
import { t } from "../languages/language.js";
import { IconButton } from "../shared/button.jsx";
import { isApple } from "../shared/hearing.js";
import "../preferences/citation_style.js";
import "../preferences/claim_marks.js";
import { MenuFrame, leavingFor } from "../shared/menu.jsx";

const THEME = { name: "theme", place: 30 };

// Without a document during server-side rendering; the menu appears later.
const isOpenToPeople = () => globalThis.document?.documentElement.dataset.settings !== "hidden";

const NONE = [];

function useEntries(...others) {
  useSyncExternalStore(listen, possible, () => NONE);
  return [...menuEntries(), ...others].sort((one, other) => one.place - other.place);
}

const groupOf = ({ place }) => Math.floor(place / 10);

function keysOf(name) {
  if (!SHORTCUTS[name] || !isOn(name)) return undefined;
  const { command, key } = SHORTCUTS[name];
  return `${command ? `${isApple() ? "⌘" : t("Ctrl")} ` : ""}${key.length > 1 ? key : key.toUpperCase()}`;
}

// In a row, so that also the arrows to the sides go through it.
function Themes() {
  const { rawColorMode, setColorMode } = useContext(ColorModeContext);
  const key = (event) => {
    const { direction } = getComputedStyle(event.currentTarget);
    const [before, after] = direction === "rtl" ? ["ArrowRight", "ArrowLeft"] : ["ArrowLeft", "ArrowRight"];
    if (event.key === before) event.target.previousElementSibling?.focus();
    if (event.key === after) event.target.nextElementSibling?.focus();
  };
  return (
    <>
      <DropdownMenu.Label>{t("Colour theme")}</DropdownMenu.Label>
      <DropdownMenu.RadioGroup
        className="themes"
        value={rawColorMode}
        onValueChange={setColorMode}
        onKeyDown={key}
        aria-label={t("Colour theme")}
      >
        <DropdownMenu.RadioItem value="light">{t("Light")}</DropdownMenu.RadioItem>
        <DropdownMenu.RadioItem value="dark">{t("Dark")}</DropdownMenu.RadioItem>
        <DropdownMenu.RadioItem value="system">{t("System")}</DropdownMenu.RadioItem>
      </DropdownMenu.RadioGroup>
    </>
  );
}

export function MoreMenu({ onSettings }) {
  const button = useRef(null);
  const entries = useEntries(THEME);
  useCommand("settings", isOpenToPeople() && onSettings);
  const opener = <IconButton ref={button} label={t("More")} sign={Ellipsis} size={18} />;
  return (
    <MenuFrame button={opener} className="more" align="end" color="gray">
      {entries.map((entry, index) => (
        <Fragment key={entry.name}>
          {index > 0 && groupOf(entry) > groupOf(entries[index - 1]) && <DropdownMenu.Separator />}
          {entry === THEME ? (
            <Themes />
          ) : (
            <DropdownMenu.Item shortcut={keysOf(entry.name)} onSelect={leavingFor(button, () => run(entry.name))}>
              {entry.label}
            </DropdownMenu.Item>
          )}
        </Fragment>
      ))}
    </MenuFrame>
  );
}

/** A button for each entry of the menu with a sign, where the header has room. */
export const ConversationTools = () =>
  useEntries()
    .filter(({ sign }) => sign)
    .map(({ name, label, sign }) => {
      const words = label.replace("…", "");
      const button = { label: words, sign, size: 18, onClick: () => run(name) };
      return (
        <IconButton key={name} className="conversation-tool" {...button}>
          <span className="tool-label">{words}</span>
        </IconButton>
      );
    });
