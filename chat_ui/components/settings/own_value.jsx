// A control whose value is the person's until the server has heard all of it. The server is told after a pause, when the
// control is left and when a form is sent; what it says meanwhile, about something that was typed before, changes nothing.

import { Switch } from "@radix-ui/themes";
import { useEffect, useRef, useState } from "react";

const PAUSE = 300;
const CONTROLS = { input: "input", textarea: "textarea", select: "select", switch: Switch };
const IS_TYPED = { input: true, textarea: true };

// The number of what was told last, on the whole page.
let latest = 0;

export function OwnValue({ control, value, heard, onTell, ...rest }) {
  const [own, setOwn] = useState(null);
  const untold = useRef(null);
  const pause = useRef(0);
  latest = Math.max(latest, heard);
  if (own?.told <= heard) setOwn(null);

  const tell = () => {
    clearTimeout(pause.current);
    if (untold.current === null) return;
    latest += 1;
    setOwn({ ...untold.current, told: latest });
    onTell(untold.current.value, latest);
    untold.current = null;
  };
  const change = (changed) => {
    untold.current = { value: changed };
    setOwn(untold.current);
    clearTimeout(pause.current);
    if (IS_TYPED[control]) pause.current = setTimeout(() => newest.current(), PAUSE);
    else tell();
  };
  const newest = useRef(tell);
  newest.current = tell;

  useEffect(() => {
    const flush = () => newest.current();
    addEventListener("submit", flush, { capture: true });
    return () => {
      clearTimeout(pause.current);
      removeEventListener("submit", flush, { capture: true });
    };
  }, []);

  const shown = own ? own.value : value;
  const Control = CONTROLS[control];
  return (
    <Control
      {...rest}
      onBlur={tell}
      {...(control === "switch"
        ? { checked: shown, onCheckedChange: change }
        : { value: shown, onChange: (event) => change(event.target.value) })}
    />
  );
}
