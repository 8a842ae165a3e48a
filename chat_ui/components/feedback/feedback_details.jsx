// Why an answer is good or bad: reasons on chips, and a comment.

import { useEffect, useRef, useState } from "react";
import { t } from "../languages/language.js";
import "../languages/later.js";
import { pressed } from "../shared/pressed.js";
import { Comment } from "./comment.jsx";
import "./feedback_details.css";
import { problemOf, rate } from "./requests.js";
import { useFeedback } from "./given_feedback.js";

export { problemOf, rate };

const reasonsOf = () => [
  ["wrong", t("Wrong")],
  ["incomplete", t("Incomplete")],
  ["unsupported", t("A source does not say this")],
  ["outdated", t("Out of date")],
  ["tone", t("Tone")],
];

/**
 * @param {{ address: string, rating: "good" | "bad", onClose: () => void, onProblem: (words: string) => void }} props
 */
export function FeedbackDetails({ address, rating, onClose, onProblem }) {
  const { feedback, problem, setProblem } = useFeedback(address);
  const [reasons, setReasons] = useState([]);
  const [outcome, setOutcome] = useState("");
  const place = useRef(null);
  useEffect(() => {
    if (feedback?.rating === rating) setReasons(feedback.reasons);
  }, [feedback]);

  useEffect(() => {
    place.current.scrollIntoView({ block: "nearest" });
  }, []);

  const save = (details) =>
    rate(address, rating, details).then(
      () => {
        setProblem("");
        setOutcome(t("Saved."));
        return true;
      },
      (words) => {
        setOutcome("");
        if (place.current) setProblem(words);
        else onProblem(words);
        return false;
      },
    );
  const comment = () => place.current.querySelector("textarea").value;
  const choose = (reason) => {
    const chosen = reasons.includes(reason) ? reasons.filter((one) => one !== reason) : [...reasons, reason];
    setReasons(chosen);
    save({ reasons: chosen, comment: comment() });
  };
  const key = (event) => {
    if (!pressed(event, "Escape")) return;
    event.stopPropagation();
    // Leaving its box saves the comment.
    place.current.querySelector("textarea").blur();
    onClose();
  };
  return (
    <section ref={place} className="feedback-details" aria-label={t("Say why")} onKeyDown={key}>
      {rating === "bad" && (
        <div className="feedback-reasons" role="group" aria-label={t("What is wrong with it?")}>
          {reasonsOf().map(([reason, words]) => (
            <button
              key={reason}
              type="button"
              className="feedback-reason"
              disabled={!feedback}
              aria-pressed={reasons.includes(reason)}
              onClick={() => choose(reason)}
            >
              {words}
            </button>
          ))}
        </div>
      )}
      <Comment
        given={feedback?.comment}
        outcome={outcome}
        problem={problem}
        onEdit={() => setOutcome("")}
        onSave={(words) => save({ reasons, comment: words })}
        onDone={onClose}
      />
    </section>
  );
}
