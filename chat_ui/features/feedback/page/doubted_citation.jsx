// The doubt about a citation: its passage does not support it.

import { t } from "../../../page/languages/language.js";
import { Alert } from "../../../page/shared/alert.jsx";
import { announce } from "../../../page/announcing/announcer.jsx";
import { useWanted } from "./feedback.js";
import { Comment, useFeedback } from "./given_feedback.jsx";

// The part that differs from the passage, in the words of the list of sources.
const difference = () => document.querySelector(".sources [data-active] .claim-note-differs")?.textContent ?? "";

/**
 * @param {{ address: string, use: number }} props the address of the answer, and the index of the citation in it.
 */
export default function DoubtedCitation({ address, use }) {
  const { feedback, send, news } = useFeedback(address, announce);
  const comment = feedback?.doubted[use];
  const [isDoubted, want] = useWanted(comment !== undefined);
  const doubt = (words) => send({ doubted: { [use]: words } });
  return (
    <div className="doubt screen-only" role="group" aria-label={t("Not in this passage")}>
      <button
        type="button"
        className="chip feedback-reason"
        disabled={!feedback}
        aria-pressed={isDoubted}
        onClick={() => want(!isDoubted, doubt(isDoubted ? null : difference()))}
      >
        {t("Not in this passage")}
      </button>
      {comment === undefined ? (
        <Alert className="field-error" words={news.problem} />
      ) : (
        <Comment of={`${address} ${use}`} saved={comment} news={news} onSave={doubt} />
      )}
    </div>
  );
}
