// The outcome of an answer, where it needs words: an alert once, for the tab that saw the answer being made, also after a
// reload in between. For a later reader it is a note.

import { Children, useEffect, useState } from "react";
import { t } from "../languages/language.js";
import { useShowing } from "../presenting/showing.js";

const AWAITED = "chat-ui-awaited";
const MOST_AWAITED = 50;

const awaited = () => JSON.parse(sessionStorage.getItem(AWAITED)) ?? [];

// What an outcome says may name machines: a room of people is told the fact alone, and the presenter all of it.
const withoutDetail = (children, hasText) =>
  Children.map(children, (child) =>
    child?.type === "p" ? <p>{hasText ? t("This answer is not complete.") : t("The answer did not come.")}</p> : child,
  );

export function Outcome({ answer, live, shown, whole, instead, text, className, children }) {
  const [wasAwaited, setAwaited] = useState(() => awaited().includes(answer));

  useEffect(() => {
    const others = awaited().filter((one) => one !== answer);
    sessionStorage.setItem(AWAITED, JSON.stringify(live ? [...others, answer].slice(-MOST_AWAITED) : others));
    if (live) setAwaited(true);
  }, [answer, live]);

  const { isOn } = useShowing();

  // The sign above a recorded answer says enough to a room.
  if (!shown || (isOn && whole && instead)) return null;
  return (
    <div role={wasAwaited ? "alert" : "note"} className={className}>
      {isOn && !whole ? withoutDetail(children, text) : children}
    </div>
  );
}
