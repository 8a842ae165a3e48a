// A menu of acts behind a button. Its keys, its focus and its place are those of Radix Themes.

import { DropdownMenu } from "@radix-ui/themes";
import { useCallback, useState } from "react";
import { leaveFocus } from "./focus.js";

/**
 * Behind a `button`, items that each have a `label` and an act, `onSelect`.
 * @param {{ button: import("react").ReactElement, items: { label: string, onSelect: () => void, danger?: boolean }[]
 *   }} props
 */
export function Menu({ button, items }) {
  // By itself a menu would stand outside of the page's landmarks.
  const [landmark, setLandmark] = useState(null);
  const findLandmark = useCallback((trigger) => trigger && setLandmark(trigger.closest("nav, main")), []);
  return (
    // Elements that a modal menu hides from screen readers would still take the focus.
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger ref={findLandmark}>{button}</DropdownMenu.Trigger>
      <DropdownMenu.Content container={landmark} size="2" variant="soft" align="end" onCloseAutoFocus={leaveFocus}>
        {items.map(({ label, onSelect, danger }) => (
          <DropdownMenu.Item key={label} color={danger ? "red" : undefined} onSelect={onSelect}>
            {label}
          </DropdownMenu.Item>
        ))}
      </DropdownMenu.Content>
    </DropdownMenu.Root>
  );
}
