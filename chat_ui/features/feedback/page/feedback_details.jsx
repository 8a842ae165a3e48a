// Reasons for a rating as chips, and a comment.

import { useEffect, useLayoutEffect, useRef } from "react";
import { t } from "../../../page/languages/language.js";
import { hear, pressed } from "../../../page/shared/hearing.js";
import { useWanted } from "./feedback.js";
import { Comment, useFeedback } from "./given_feedback.jsx";

const reasonsOf = () => [
  ["wrong", t("Wrong")],
  ["incomplete", t("Incomplete")],
  ["unsupported", t("Not in its source")],
  ["outdated", t("Out of date")],
  ["tone", t("Tone")],
];

const edgesOf = (part) => part.getBoundingClientRect();

function Reasons({ feedback, onChange }) {
  const [reasons, want] = useWanted(feedback?.reasons ?? []);
  const choose = (reason) => {
    const chosen = reasons.includes(reason) ? reasons.filter((one) => one !== reason) : [...reasons, reason];
    want(chosen, onChange(chosen));
  };
  return (
    <div className="dialog-buttons" role="group" aria-label={t("What is wrong with it?")}>
      {reasonsOf().map(([reason, words]) => (
        <button
          key={reason}
          type="button"
          className="chip feedback-reason"
          disabled={!feedback}
          aria-pressed={reasons.includes(reason)}
          onClick={() => choose(reason)}
        >
          {words}
        </button>
      ))}
    </div>
  );
}

/**
 * @param {{ address: string, rating: "good" | "bad", onClose: () => void, onGone: () => void,
 *   onProblem: (words: string) => void }} props `onGone` is called where the focus goes with this, and `onProblem` with
 *   what fails once this is gone.
 */
export function FeedbackDetails({ address, rating, onClose, onGone, onProblem }) {
  const { feedback, send, news } = useFeedback(address, onProblem, rating);
  const place = useRef(null);
  const gone = useRef(onGone);
  gone.current = onGone;
  useLayoutEffect(() => {
    const part = place.current;
    // The end of the conversation, beyond which it does not scroll, or of the window.
    const [view, content] = [".thread", ".thread-content"].map((name) => edgesOf(part.closest(name) ?? document.body));
    part.toggleAttribute("data-above", edgesOf(part).bottom > Math.min(view.bottom, content.bottom));
    if (edgesOf(part).top < view.top) part.scrollIntoView();
    return () => {
      if (part.contains(document.activeElement)) gone.current();
    };
  }, []);
  useEffect(() => {
    const leave = ({ target }) => {
      if (!place.current.parentElement.contains(target)) onClose();
    };
    return hear(document, { pointerdown: leave, focusin: leave });
  });
  const key = (event) => {
    if (!pressed(event, "Escape")) return;
    event.stopPropagation();
    onClose();
  };
  return (
    <section
      ref={place}
      className="feedback-details screen-only"
      aria-label={t("Add details")}
      aria-busy={!feedback}
      onKeyDown={key}
    >
      {rating === "bad" && <Reasons feedback={feedback} onChange={(reasons) => send({ rating, reasons })} />}
      <Comment of={address} saved={feedback?.comment} news={news} onSave={(comment) => send({ rating, comment })} />
    </section>
  );
}
