// The outcome of an answer, where it needs words: an alert once, for the tab that saw the answer being made, also after a
// reload in between. For a later reader it is a note.

import { Children, useEffect, useRef, useState } from "react";
import { t } from "../languages/language.js";
import { announce } from "../announcing/announcer.jsx";
import { useProvided } from "../shared/provided.js";

const AWAITED = "chat-ui-awaited";
const MOST_AWAITED = 50;

const awaited = () => JSON.parse(sessionStorage.getItem(AWAITED)) ?? [];

// What an outcome says may name machines: a room of people is told the fact alone, and the presenter all of it.
const withoutDetail = (children, hasText) =>
  Children.map(children, (child) =>
    child?.type === "p" ? <p>{hasText ? t("This answer is not complete.") : t("The answer did not come.")}</p> : child,
  );

const FINISHED = "finished";

export function Outcome({ answer, className, children }) {
  const { id, live, error, notice, status, is_instead: isInstead, characters } = answer;
  const isShown = Boolean(error || notice);
  const isComplete = status === FINISHED;
  const [wasAwaited, setAwaited] = useState(() => awaited().includes(id));
  const [isTold, setTold] = useState(false);
  const outcome = useRef(null);

  useEffect(() => {
    const others = awaited().filter((one) => one !== id);
    sessionStorage.setItem(AWAITED, JSON.stringify(live ? [...others, id].slice(-MOST_AWAITED) : others));
    if (live) setAwaited(true);
  }, [id, live]);

  // An alert behind an open sheet is heard by nobody: its words are announced, and not again once the sheet is closed.
  useEffect(() => {
    if (!isShown || !wasAwaited || !outcome.current?.closest("[inert]")) return;
    announce(outcome.current.querySelector("p").textContent);
    setTold(true);
  }, [isShown, wasAwaited]);

  const isOn = useProvided("presenting");

  // The sign above a recorded answer says enough to a room.
  if (!isShown || (isOn && isComplete && isInstead)) return null;
  return (
    <div ref={outcome} role={wasAwaited && !isTold ? "alert" : "note"} className={className}>
      {isOn && !isComplete ? withoutDetail(children, characters > 0) : children}
    </div>
  );
}
