// A control whose value is the person's until the server has acknowledged all changes of it. Changes are reported after
// a pause, when the control is left and when a form is sent, but not during a press. A value from the server that is
// older than a change is ignored. A replacement keeps the selection. A control with `aria-disabled` does not change.

import { Switch } from "@radix-ui/themes";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { hear, afterPress } from "../../page/shared/hearing.js";
import { onRestored } from "./restored_dialog.jsx";

const PAUSE = 300;
const CONTROLS = { input: "input", textarea: "textarea", select: "select", switch: Switch };
const IS_TYPED = { input: true, textarea: true };

// The number of the newest reported change, on the whole page.
let latest = 0;

/** Keep the selection in `field`: React moves the caret to the end when it shows another value. */
function useSelection(field, shown) {
  const isReplaced = field && field === document.activeElement && field.value !== shown;
  const { selectionStart = null, selectionEnd, value } = isReplaced ? field : {};
  useLayoutEffect(() => {
    if (selectionStart === null) return;
    const moved = (at) => (at === value.length ? shown.length : at);
    field.setSelectionRange(moved(selectionStart), moved(selectionEnd));
  });
}

export function OwnValue({ control, value, acknowledged, onReport, ref, ...rest }) {
  const [own, setOwn] = useState(null);
  const unreported = useRef(null);
  const unheard = useRef(null);
  const pause = useRef(0);
  latest = Math.max(latest, acknowledged);
  if (own?.number <= acknowledged) setOwn(null);

  const report = () => {
    clearTimeout(pause.current);
    if (unreported.current === null) return;
    latest += 1;
    unheard.current = { ...unreported.current, number: latest };
    setOwn(unheard.current);
    onReport(unreported.current.value, latest);
    unreported.current = null;
  };
  const change = (changed) => {
    // It stays in the order of the keyboard, with its reason.
    if (rest["aria-disabled"]) return;
    unreported.current = { value: changed };
    setOwn(unreported.current);
    clearTimeout(pause.current);
    if (IS_TYPED[control]) pause.current = setTimeout(reportAfterPress, PAUSE);
    else report();
  };
  const newest = useRef(report);
  newest.current = report;
  const reportAfterPress = () => afterPress(() => newest.current());

  // A new state that has acknowledged a change first gets the former one's value.
  useEffect(() => {
    if (unheard.current?.number <= acknowledged) unheard.current = null;
  }, [acknowledged]);
  useEffect(() => {
    const flush = () => newest.current();
    const leave = hear(window, { submit: flush }, { capture: true });
    const forget = onRestored(() => {
      unreported.current ??= unheard.current;
      flush();
    });
    return () => {
      forget();
      clearTimeout(pause.current);
      leave();
    };
  }, []);

  const shown = own ? own.value : value;
  const Control = CONTROLS[control];
  const inner = useRef(null);
  const field = ref ?? inner;
  useSelection(field.current, shown);
  return (
    <Control
      {...rest}
      ref={field}
      onBlur={reportAfterPress}
      {...(control === "switch"
        ? { checked: shown, onCheckedChange: change }
        : { value: shown, onChange: (event) => change(event.target.value) })}
    />
  );
}
