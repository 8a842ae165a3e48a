// The menu of what is seldom needed.

import { DropdownMenu } from "@radix-ui/themes";
import { Ellipsis } from "lucide-react";
import { lazy, Suspense, useContext, useRef, useState } from "react";
import { ColorModeContext } from "$/utils/context";
import { IconButton } from "../shared/icon_button.jsx";
import "../preferences/citation_style.js";
import { useHeader, useLeaving } from "./menu_place.js";

const Preferences = lazy(() => import("../preferences/preferences.jsx"));

const THEMES = { light: "Light", dark: "Dark", system: "As the system" };

function Settings({ onOpen }) {
  if (document.documentElement.dataset.settings === "hidden") return null;
  return <DropdownMenu.Item onSelect={onOpen}>Backend settings</DropdownMenu.Item>;
}

export function MoreMenu({ onSettings }) {
  const { rawColorMode, setColorMode } = useContext(ColorModeContext);
  const header = useHeader();
  const button = useRef(null);
  const { leaving, onCloseAutoFocus } = useLeaving(button);
  const [prefers, setPrefers] = useState(false);
  return (
    <>
      {/* Elements that a modal menu hides from screen readers would still take the focus. */}
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger>
          <IconButton ref={button} label="More">
            <Ellipsis size={18} aria-hidden />
          </IconButton>
        </DropdownMenu.Trigger>
        <DropdownMenu.Content
          container={header}
          align="end"
          variant="soft"
          color="gray"
          onCloseAutoFocus={onCloseAutoFocus}
        >
          <DropdownMenu.RadioGroup value={rawColorMode} onValueChange={setColorMode} aria-label="Colour theme">
            <DropdownMenu.Label>Colour theme</DropdownMenu.Label>
            {Object.entries(THEMES).map(([mode, name]) => (
              <DropdownMenu.RadioItem key={mode} value={mode}>
                {name}
              </DropdownMenu.RadioItem>
            ))}
          </DropdownMenu.RadioGroup>
          <DropdownMenu.Separator />
          <DropdownMenu.Item onSelect={leaving(() => setPrefers(true))}>Preferences</DropdownMenu.Item>
          <Settings onOpen={leaving(onSettings)} />
        </DropdownMenu.Content>
      </DropdownMenu.Root>
      <Suspense>{prefers && <Preferences onClose={() => setPrefers(false)} />}</Suspense>
    </>
  );
}
