// A menu of actions behind a button. Radix Themes handles its keys, focus and position.

import { DropdownMenu } from "@radix-ui/themes";
import { useCallback, useState } from "react";
import { leaveFocus } from "./focus.js";

/**
 * The landmark around a menu's trigger, and the trigger's `ref` that finds it; otherwise a menu would be outside of the
 * page's landmarks.
 */
export function useLandmark() {
  const [landmark, setLandmark] = useState(null);
  const ref = useCallback((trigger) => trigger && setLandmark(trigger.closest("header, nav, main")), []);
  return { landmark, ref };
}

/** Leaves a menu for a dialog: the focus returns to the menu's `opener` first, so that the dialog remembers it. */
export const leavingFor = (opener, act) => () => {
  opener.current.focus({ preventScroll: true });
  act();
};

/**
 * A `button` with a menu of items, each with a `label` and an act, `onSelect`.
 * @param {{ button: import("react").ReactElement, items: { label: string, onSelect: () => void, danger?: boolean }[]
 *   }} props
 */
export function Menu({ button, items }) {
  const { landmark, ref } = useLandmark();
  return (
    // Elements that a modal menu hides from screen readers would still take the focus.
    <DropdownMenu.Root modal={false}>
      <DropdownMenu.Trigger ref={ref}>{button}</DropdownMenu.Trigger>
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
