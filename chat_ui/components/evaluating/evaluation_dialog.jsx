// The dialog Evaluate: the sets of questions that a person has here, and how far each is answered.

import { useEffect, useRef, useState } from "react";
import { t } from "../languages/language.js";
import { FileButton } from "../shared/file_button.jsx";
import { FramedDialog } from "../shared/framed_dialog.jsx";
import { sentFile } from "../shared/sent_file.js";
import { adopt } from "../shared/stylesheets.js";
import { announce } from "../speech/announcer.jsx";
import rules from "./evaluation_dialog.css?inline";
import { Run } from "./evaluation_run.jsx";
import { EvaluationReport } from "./evaluation_report.jsx";

adopt(rules);

const EXAMPLE = `{"question": "How much parental leave do I get?",
 "truth": "20 weeks at full pay [Leave_Policy.pdf]"}`;

// Says it once the answers are there, or will not come.
function useEndsTold(runs) {
  const before = useRef("");
  useEffect(() => {
    const ended = runs.find(({ id, is_running }) => id === before.current && !is_running);
    if (ended) {
      const { name, done, count } = ended;
      announce(t("{name}: {done} of {count} answered.", { name, done, count }));
    }
    before.current = runs.find(({ is_running }) => is_running)?.id ?? "";
  }, [runs]);
}

export function EvaluationDialog({
  about,
  runs,
  share,
  problem,
  isTaking,
  hasQuestions,
  address,
  onOpen,
  onTaken,
  onConversation,
  onBegin,
  onStop,
  onRemove,
  onClose,
}) {
  const [refusal, setRefusal] = useState("");
  const [isSending, setSending] = useState(false);
  const [shown, setShown] = useState("");
  const taking = useRef(new AbortController());
  const button = useRef(null);

  useEffect(() => {
    // Also where the server's state is a new one.
    if (!about) onOpen(true);
  }, [about]);
  useEffect(() => {
    if (about) onOpen(true);
    return () => {
      taking.current.abort();
      onOpen(false);
    };
  }, []);
  useEndsTold(runs);

  const take = (file) => {
    taking.current.abort();
    taking.current = new AbortController();
    const { signal } = taking.current;
    setRefusal("");
    setSending(true);
    sentFile(`${address}/?name=${encodeURIComponent(file.name)}`, file, signal)
      .then((sent) => {
        if (signal.aborted) return;
        setSending(false);
        if (sent.problem) setRefusal(sent.problem);
        else {
          announce(t("{name} is here. Nothing is asked yet.", { name: file.name }));
          onTaken();
        }
      })
      .catch(() => {});
  };
  const isBusy = runs.some(({ is_running }) => is_running);
  const ofReport = runs.find(({ id }) => id === shown);

  return (
    <FramedDialog
      className="evaluation-dialog"
      maxWidth="48rem"
      title={t("Evaluate")}
      description={t(
        "Each question of a set goes to {backend} in a conversation of its own, and the answers are measured: their citations, their sources, their times. Nothing is sent before you say so.",
        { backend: about },
      )}
      onClose={onClose}
    >
      <div className="evaluation-takes">
        <FileButton ref={button} accept=".jsonl,.json,.csv,.tsv,.txt" onFile={take}>
          {t("Choose a file of questions…")}
        </FileButton>
        <button type="button" className="button" disabled={!hasQuestions || isTaking} onClick={onConversation}>
          {t("Take the questions of this conversation")}
        </button>
      </div>
      <div role="status" className="evaluation-note">
        {(isSending || isTaking) && <p>{t("The questions are being read…")}</p>}
      </div>
      <div role="alert" className="evaluation-note">
        {(refusal || problem) && <p className="callout callout-error">{refusal || problem}</p>}
      </div>
      {runs.length > 0 ? (
        <ul className="evaluation-runs" aria-label={t("Sets of questions")}>
          {runs.map((run) => (
            <Run
              key={run.id}
              run={run}
              share={share}
              isBusy={isBusy}
              onBegin={(isAnew) => {
                setRefusal("");
                onBegin(run.id, isAnew);
              }}
              onStop={onStop}
              onShow={() => setShown(run.id)}
              onRemove={() => {
                button.current.focus();
                onRemove(run.id);
              }}
            />
          ))}
        </ul>
      ) : (
        <>
          <p className="evaluation-words">
            {t(
              "A file is JSON Lines or CSV. Each line has a question, and the right answer as truth where that is known:",
            )}
          </p>
          <pre className="evaluation-example">
            <code>{EXAMPLE}</code>
          </pre>
        </>
      )}
      {ofReport && (
        <EvaluationReport
          run={ofReport}
          others={runs.filter(({ id, done }) => id !== shown && done > 0)}
          address={address}
          onClose={() => setShown("")}
        />
      )}
    </FramedDialog>
  );
}
