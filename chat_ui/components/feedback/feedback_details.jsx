// Why an answer is good or bad: reasons on chips, and a comment.

import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { t } from "../languages/language.js";
import { pressed } from "../shared/pressed.js";
import { Comment } from "./comment.jsx";
import { letGo, resume } from "./comment_drafts.js";
import { useFeedback } from "./given_feedback.js";
import { change } from "./requests.js";

export { resume };

const reasonsOf = () => [
  ["wrong", t("Wrong")],
  ["incomplete", t("Incomplete")],
  ["unsupported", t("A source does not say this")],
  ["outdated", t("Out of date")],
  ["tone", t("Tone")],
];
const commentOn = (answer) => ({ answer, part: "" });

/**
 * Rate the answer, or take that back with an empty rating, and with it the words of a comment that is not kept yet. The
 * result is the words of a problem, if there is any.
 */
export async function rate(answer, rating) {
  try {
    await (rating ? change(answer, "PUT", "", { rating }) : change(answer, "DELETE", ""));
    if (!rating) letGo(commentOn(answer));
    return "";
  } catch ({ message }) {
    return message;
  }
}

// Has `onGone` called when the part at `place` goes with the focus in it.
function useGone(place, onGone) {
  const call = useRef(onGone);
  call.current = onGone;
  useLayoutEffect(() => {
    const part = place.current;
    return () => {
      if (part.contains(document.activeElement)) call.current();
    };
  }, []);
}

function Reasons({ feedback: { feedback, send }, onGone }) {
  const [reasons, setReasons] = useState([]);
  const place = useRef(null);
  useEffect(() => setReasons(feedback?.reasons ?? []), [feedback]);
  useGone(place, onGone);
  const choose = (reason) => {
    const isChosen = reasons.includes(reason);
    setReasons(isChosen ? reasons.filter((one) => one !== reason) : [...reasons, reason]);
    send(isChosen ? "DELETE" : "PUT", `/reasons/${reason}`);
  };
  return (
    <div ref={place} className="feedback-reasons" role="group" aria-label={t("What is wrong with it?")}>
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
  );
}

/**
 * @param {{
 *   address: string,
 *   rating: "good" | "bad",
 *   onClose: () => void,
 *   onGone: () => void,
 *   onProblem: (words: string) => void,
 * }} props `onGone` is called where the focus goes with this, and `onProblem` with what fails once this is gone.
 */
export function FeedbackDetails({ address, rating, onClose, onGone, onProblem }) {
  const feedback = useFeedback(address, onProblem, rating);
  const place = useRef(null);
  useEffect(() => {
    place.current.scrollIntoView({ block: "nearest" });
  }, []);
  useGone(place, onGone);
  const key = (event) => {
    if (!pressed(event, "Escape")) return;
    event.stopPropagation();
    onClose();
  };
  return (
    <section
      ref={place}
      className="feedback-details"
      aria-label={t("Say why")}
      aria-busy={!feedback.feedback}
      onKeyDown={key}
    >
      {rating === "bad" && (
        <Reasons feedback={feedback} onGone={() => place.current?.querySelector("textarea").focus()} />
      )}
      <Comment
        of={commentOn(address)}
        given={feedback.feedback?.comment}
        feedback={feedback}
        onLate={onProblem}
        onDone={onClose}
      />
    </section>
  );
}
