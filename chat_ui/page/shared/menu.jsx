// A menu of actions behind a button. Radix Themes handles its keys, focus and position.

import { DropdownMenu } from "@radix-ui/themes";
import { useCallback, useState } from "react";
import { leaveFocus } from "./focus.js";

/** Leaves a menu for a dialog: the focus returns to the menu's `opener` first, so that the dialog remembers it. */
export const leavingFor = (opener, act) => () => {
  opener.current.focus({ preventScroll: true });
  act();
};

/**
 * A `button` with a menu, in the landmark around it; otherwise the menu would be outside of the page's landmarks.
 * `state` is for its root, other props for its content.
 * @param {{ button: import("react").ReactElement, state?: import("react").ComponentProps<typeof DropdownMenu.Root> }
 *   & import("react").ComponentProps<typeof DropdownMenu.Content>} props
 */
export function MenuFrame({ button, state = {}, ...content }) {
  const [landmark, setLandmark] = useState(null);
  const ref = useCallback((trigger) => trigger && setLandmark(trigger.closest("header, nav, main")), []);
  return (
    // Elements that a modal menu hides from screen readers would still take the focus.
    <DropdownMenu.Root {...state} modal={false}>
      <DropdownMenu.Trigger ref={ref}>{button}</DropdownMenu.Trigger>
      <DropdownMenu.Content container={landmark} variant="soft" onCloseAutoFocus={leaveFocus} {...content} />
    </DropdownMenu.Root>
  );
}

/**
 * A `button` with a menu of items, each with a `label` and an act, `onSelect`. The menu has the button's `align` edge.
 * @param {{ button: import("react").ReactElement, items: { label: string, onSelect: () => void, danger?: boolean }[],
 *   align?: "start" | "end" }} props
 */
export const Menu = ({ button, items, align = "end" }) => (
  <MenuFrame button={button} align={align}>
    {items.map(({ label, onSelect, danger }) => (
      <DropdownMenu.Item key={label} color={danger ? "red" : undefined} onSelect={onSelect}>
        {label}
      </DropdownMenu.Item>
    ))}
  </MenuFrame>
);
