// The request of an agent that waits for a person, whose card loads when needed, and the line of a decision.

import { Hand } from "lucide-react";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { t } from "../../../page/languages/language.js";
import { Button } from "../../../page/shared/button.jsx";
import { needed } from "../../../page/shared/loading.js";
import { useProvided } from "../../../page/shared/provided.js";

// The answers that this tab decided on: the focus goes from the card to the line of the decision.
const decided = new Set();

export function Request({ answer, attempt, onDecide }) {
  const { id, address, live, status } = answer;
  const waits = status === "waiting";
  const isAwaited = useRef(false);
  // Null until it is loaded; false after a failure.
  const [Card, setCard] = useState(null);
  const [isAsked, setAsked] = useState(false);
  const isPresenting = useProvided("presenting");
  isAwaited.current ||= live;

  const load = () =>
    needed(() => import("./request_card.jsx")).then((loaded) => setCard(() => loaded?.RequestCard ?? false));
  useEffect(() => void (waits && load()), [waits]);
  useEffect(() => setAsked(false), [isPresenting]);
  if (!waits) return null;
  const show = () => {
    setAsked(true);
    load();
  };
  // An audience does not see the request unasked.
  if (Card === false || (isPresenting && !isAsked))
    return (
      <p className="callout request-line">
        {t("The agent waits for a decision.")} <Button onClick={show}>{t("Show request")}</Button>
      </p>
    );
  const decide = (decisions) => {
    decided.add(id);
    onDecide(id, JSON.stringify(decisions));
  };
  return Card && <Card address={address} attempt={attempt} isAwaited={isAwaited.current} onDecide={decide} />;
}

export function DecisionLine({ turn }) {
  const line = useRef(null);
  // At once: a lost focus would go to the message box.
  useLayoutEffect(() => {
    if (decided.delete(turn.decides) && document.activeElement === document.body)
      line.current.focus({ preventScroll: true });
  }, []);
  const at = new Date(turn.asked_at * 1000);
  const isToday = at.toDateString() === new Date().toDateString();
  const time = at.toLocaleString(document.documentElement.lang || undefined, {
    timeStyle: "short",
    ...(!isToday && { dateStyle: "medium" }),
  });
  return (
    <p ref={line} tabIndex={-1} className="decision-line">
      <Hand size={14} aria-hidden />
      <span dir="auto">{t("{decision} at {time}", { decision: turn.question, time })}</span>
    </p>
  );
}
