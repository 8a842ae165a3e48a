// Sent questions that are not in the conversation yet, at its end, with their state. Unsent ones have a button that
// restores them in the box.

import { useEffect, useState } from "react";
import { run } from "../commands/commands.js";
import { inARow, t } from "../languages/language.js";
import { usePending } from "./pending_questions.js";
import { Button } from "../shared/button.jsx";

// Milliseconds until a question that has not arrived gets a notice.
const AT_ONCE = 1000;

const show = (article) => article?.scrollIntoView({ block: "nearest" });

export function WaitingQuestions() {
  const questions = usePending();
  const [late, setLate] = useState(0);

  useEffect(() => {
    const waiting = setTimeout(() => setLate(Date.now() - AT_ONCE), AT_ONCE);
    return () => clearTimeout(waiting);
  }, [questions]);

  return questions
    .filter(({ waits, sentAt }) => waits || sentAt <= late)
    .map((one) => (
      <article key={one.sentAt} ref={show} className="question question-waiting" aria-label={t("Waiting to be sent")}>
        <div className="question-text" dir="auto">
          {one.question}
        </div>
        {one.images.length > 0 && <p>{t("With {images}", { images: inARow(one.images.map(({ name }) => name)) })}</p>}
        <p className="waiting-words">
          {one.waits ? t("Waiting to be sent") : t("Sending…")}
          {one.waits && <Button onClick={({ detail }) => detail > 1 || run("take-back", one)}>{t("Cancel")}</Button>}
        </p>
      </article>
    ));
}
