// The outcome of an answer, unless successful. For the tab that saw the answer stream it is an alert once, even after a
// reload; for later readers it is a note.

import { Children, useEffect, useRef, useState } from "react";
import { t } from "../languages/language.js";
import { announce } from "../announcing/announcer.jsx";
import { useProvided } from "../shared/provided.js";

const AWAITED = "chat-ui-awaited";
const MOST_AWAITED = 50;

const awaited = () => JSON.parse(sessionStorage.getItem(AWAITED)) ?? [];

// An outcome may name machines: the audience sees only the fact, and the presenter the details.
const withoutDetail = (children, hasText) =>
  Children.map(children, (child) =>
    child?.type === "p" ? <p>{hasText ? t("This answer is incomplete.") : t("No answer arrived.")}</p> : child,
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

  // Screen readers ignore an alert behind a sheet: its text is announced, and not repeated after the sheet closes.
  useEffect(() => {
    if (!isShown || !wasAwaited || !outcome.current?.closest("[inert]")) return;
    announce(outcome.current.querySelector("p").textContent);
    setTold(true);
  }, [isShown, wasAwaited]);

  const isOn = useProvided("presenting");

  // The label above a recorded answer suffices for an audience.
  if (!isShown || (isOn && isComplete && isInstead)) return null;
  return (
    <div ref={outcome} role={wasAwaited && !isTold ? "alert" : "note"} className={className}>
      {isOn && !isComplete ? withoutDetail(children, characters > 0) : children}
    </div>
  );
}
