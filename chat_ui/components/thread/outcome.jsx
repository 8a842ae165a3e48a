// The outcome of an answer, where it needs words: an alert once, for the tab that saw the answer being made, also after a
// reload in between. For a later reader it is a note.

import { useEffect, useState } from "react";

const AWAITED = "chat-ui-awaited";
const MOST_AWAITED = 50;

const awaited = () => JSON.parse(sessionStorage.getItem(AWAITED)) ?? [];

export function Outcome({ answer, live, shown, className, children }) {
  const [wasAwaited, setAwaited] = useState(() => awaited().includes(answer));

  useEffect(() => {
    const others = awaited().filter((one) => one !== answer);
    sessionStorage.setItem(AWAITED, JSON.stringify(live ? [...others, answer].slice(-MOST_AWAITED) : others));
    if (live) setAwaited(true);
  }, [answer, live]);

  return shown ? (
    <div role={wasAwaited ? "alert" : "note"} className={className}>
      {children}
    </div>
  ) : null;
}
