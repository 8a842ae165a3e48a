// The doubt about one citation: its passage does not say what it is cited for.

import { useEffect, useState } from "react";
import { t } from "../languages/language.js";
import "../languages/later.js";
import { pressed } from "../shared/pressed.js";
import { Comment } from "./comment.jsx";
import "./feedback_details.css";
import { useFeedback } from "./given_feedback.js";
import { send } from "./requests.js";

/**
 * @param {{ address: string, use: number }} props the address of the answer, and the index of the citation in it.
 */
export function DoubtedCitation({ address, use }) {
  const { feedback, setFeedback, problem, setProblem } = useFeedback(address);
  const [isDoubted, setDoubted] = useState(false);
  const [outcome, setOutcome] = useState("");
  const given = feedback?.doubted.find((one) => one.use === use);
  useEffect(() => setDoubted(given !== undefined), [given]);

  const change = (method, body) =>
    send(method, `${address}/feedback/citations/${use}`, body).then(
      (found) => {
        setProblem("");
        setFeedback(found);
      },
      (words) => {
        setProblem(words);
        throw new Error(words);
      },
    );
  const press = () => {
    const wanted = !isDoubted;
    setDoubted(wanted);
    setOutcome("");
    change(wanted ? "PUT" : "DELETE", wanted ? {} : undefined).catch(() => setDoubted(!wanted));
  };
  const save = (comment) =>
    change("PUT", { comment }).then(
      () => {
        setOutcome(t("Saved."));
        return true;
      },
      () => {
        setOutcome("");
        return false;
      },
    );
  // Escape closes the panel around this: leaving its box saves the comment before.
  const key = (event) => {
    if (pressed(event, "Escape")) event.target.blur();
  };
  return (
    <div className="doubt" onKeyDown={key}>
      <button type="button" className="feedback-reason" disabled={!feedback} aria-pressed={isDoubted} onClick={press}>
        {t("The passage does not say this")}
      </button>
      {isDoubted ? (
        <Comment
          given={given?.comment ?? ""}
          outcome={outcome}
          problem={problem}
          onEdit={() => setOutcome("")}
          onSave={save}
        />
      ) : (
        problem && <p role="alert">{problem}</p>
      )}
    </div>
  );
}
