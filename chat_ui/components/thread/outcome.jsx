// The outcome of an answer, where it needs words: an alert once, for the tab that saw the answer being made, also after a
// reload in between. For a later reader it is a note.

import { Children, useEffect, useState } from "react";
import { t } from "../languages/language.js";
import { useShowing } from "../presenting/showing.js";

const AWAITED = "chat-ui-awaited";
const MOST_AWAITED = 50;

const awaited = () => JSON.parse(sessionStorage.getItem(AWAITED)) ?? [];

// What an error says may name machines: a room of people is told the fact alone, and the presenter all of it.
const withoutDetail = (children, isError) =>
  Children.map(children, (child) =>
    child?.type === "p" ? <p>{isError ? t("The answer did not come.") : t("This answer is not complete.")}</p> : child,
  );

export function Outcome({ answer, live, shown, className, children }) {
  const [wasAwaited, setAwaited] = useState(() => awaited().includes(answer));

  useEffect(() => {
    const others = awaited().filter((one) => one !== answer);
    sessionStorage.setItem(AWAITED, JSON.stringify(live ? [...others, answer].slice(-MOST_AWAITED) : others));
    if (live) setAwaited(true);
  }, [answer, live]);

  const { isOn } = useShowing();

  return shown ? (
    <div role={wasAwaited ? "alert" : "note"} className={className}>
      {isOn ? withoutDetail(children, className.includes("callout-error")) : children}
    </div>
  ) : null;
}
