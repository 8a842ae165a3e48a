// The doubt about one citation: its passage does not say what it is cited for.

import { useEffect, useState } from "react";
import { t } from "../languages/language.js";
import { announce } from "../speech/announcer.jsx";
import { Comment } from "./comment.jsx";
import { letGo } from "./comment_drafts.js";
import { useFeedback } from "./given_feedback.js";

/**
 * @param {{ address: string, use: number }} props the address of the answer, and the index of the citation in it.
 */
export function DoubtedCitation({ address, use }) {
  const feedback = useFeedback(address, announce);
  const known = feedback.feedback;
  const [isDoubted, setDoubted] = useState(false);
  const comment = { answer: address, part: `/citations/${use}` };
  const given = known?.doubted.find((one) => one.use === use);
  useEffect(() => setDoubted(given !== undefined), [known]);

  const press = () => {
    setDoubted(!isDoubted);
    if (isDoubted) feedback.send("DELETE", comment.part, () => letGo(comment));
    else feedback.send("PUT", comment.part);
  };
  return (
    <div className="doubt" role="group" aria-label={t("The passage does not say this")}>
      <button type="button" className="feedback-reason" disabled={!known} aria-pressed={isDoubted} onClick={press}>
        {t("The passage does not say this")}
      </button>
      {given ? (
        <Comment of={comment} given={given.comment} feedback={feedback} onLate={announce} />
      ) : (
        feedback.problem && <p role="alert">{feedback.problem}</p>
      )}
    </div>
  );
}
