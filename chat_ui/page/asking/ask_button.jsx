// Buttons that ask their questions, once even when pressed repeatedly, and focus the composer.

import { useEffect, useRef, useState } from "react";
import { run } from "../commands/commands.js";
import { t } from "../languages/language.js";
import { focusHome } from "../shared/focus.js";
import { pending } from "./pending_questions.js";

/** The questions after the first `most`, if given, are shown by a further button, which focuses the first of them. */
export function AskButtons({ questions, most = undefined, language, children, ...group }) {
  const [isComplete, setComplete] = useState(false);
  const revealed = useRef(null);
  useEffect(() => revealed.current?.focus(), [isComplete]);
  const shown = isComplete ? questions : questions.slice(0, most);
  const ask = (question, { detail }) => {
    // A second press may hit a button that the first one moved there.
    if (detail > 1 || pending().some((sent) => sent.question === question)) return;
    run("ask", question);
    focusHome();
  };
  return (
    <div role="group" {...group}>
      {shown.map((question, place) => (
        <button
          // A backend may suggest a question twice.
          key={place}
          ref={isComplete && place === most ? revealed : undefined}
          type="button"
          className="chip"
          dir="auto"
          lang={language || undefined}
          onClick={(event) => ask(question, event)}
        >
          <span>{question}</span>
        </button>
      ))}
      {shown.length < questions.length && (
        <button type="button" className="chip chip-more" onClick={() => setComplete(true)}>
          <bdi>{t("+{count} more", { count: questions.length - shown.length })}</bdi>
        </button>
      )}
    </div>
  );
}
