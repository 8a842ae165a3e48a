// The tabs of a form. All panels stay in the form, shown or not; a panel with an error is shown, and its first wrong
// field has the focus.

import { Tabs } from "@radix-ui/themes";
import { useEffect, useRef, useState } from "react";

/** Tabs, at first `first`; each of the counted `faults` shows the tab `fault`. */
export function FormTabs({ first, fault, faults, children }) {
  const [shown, setShown] = useState(first);
  const root = useRef(null);
  const told = useRef(faults);
  useEffect(() => {
    if (faults === told.current) return;
    setShown(fault);
    if (shown !== fault) return;
    told.current = faults;
    const wrong = root.current.querySelector("[role=tabpanel][data-state=active] [aria-invalid=true]");
    wrong?.closest("details")?.setAttribute("open", "");
    wrong?.focus();
  }, [faults, fault, shown]);
  return (
    <Tabs.Root ref={root} value={shown} onValueChange={setShown} className="form-tabs">
      {children}
    </Tabs.Root>
  );
}
