// The dialog Presentation script: the steps of a presentation, from a file or from the operator.

import { useRef, useState } from "react";
import { t, tn } from "../../../page/languages/language.js";
import { Button } from "../../../page/shared/button.jsx";
import { FileButton } from "../../../page/shared/file_button.jsx";
import { FramedDialog } from "../../../page/shared/framed_dialog.jsx";
import { adopt } from "../../../page/shared/stylesheets.js";
import { openNotes } from "./full_screen.js";
import { openingWords } from "./opening.js";
import { useGivenScript } from "./given_script.js";
import rules from "./script_dialog.css?inline";
import { startOver, takeScript, usePresentation, withId } from "./presentation.js";

adopt(rules);

const EXAMPLE = `[[step]]
question = "How much parental leave do I get?"
open = "citation 1"
notes = "The policy is from this year."`;

/**
 * Send `file` to `address`: the JSON of the response as its `value`, or a text for the person as its `problem`. Rejects
 * if `signal` aborts.
 * @param {string} address
 * @param {File} file
 * @param {AbortSignal} signal
 */
async function sentFile(address, file, signal) {
  try {
    const response = await fetch(address, { method: "POST", credentials: "same-origin", body: file, signal });
    if (response.ok) return { value: await response.json() };
    const isOwn = response.headers.get("Content-Type")?.startsWith("text/plain");
    if (isOwn) return { problem: await response.text(), isOwn };
  } catch (error) {
    signal.throwIfAborted();
    console.warn(error);
  }
  return { problem: t("{name} could not be sent to this page's server. Try again.", { name: file.name }) };
}

function Steps({ steps, outcomes }) {
  return (
    <ol className="script-steps">
      {steps.map(({ question, open, notes }, place) => (
        <li key={place} data-done={Boolean(outcomes[place]) || undefined}>
          <p className="script-question" dir="auto">
            {question}
          </p>
          {open && <p className="script-opening">{openingWords(open)}</p>}
          {notes && (
            <p className="script-notes" dir="auto">
              {notes}
            </p>
          )}
        </li>
      ))}
    </ol>
  );
}

export function ScriptDialog({ scripts, notes, onPresent, onClose }) {
  const { steps, file, outcomes, at } = usePresentation();
  const [problem, setProblem] = useState("");
  const [isOver, setOver] = useState(false);
  const [isReading, setReading] = useState(false);
  const reading = useRef(new AbortController());
  const button = useRef(null);

  const take = (chosen) => {
    if (!chosen) return;
    // Of two files the newer is used, whichever is read first.
    reading.current.abort();
    reading.current = new AbortController();
    const { signal } = reading.current;
    setReading(true);
    sentFile(scripts, chosen, signal)
      .then(({ problem = "", value }) => {
        if (signal.aborted) return;
        setReading(false);
        setProblem(problem);
        if (value) takeScript(value.steps, chosen.name, true);
      })
      .catch(() => {});
  };
  const present = () => {
    onClose();
    onPresent();
  };
  useGivenScript(scripts);
  const drop = (event) => {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    setOver(event.type === "dragover");
    if (event.type === "drop") take(event.dataTransfer.files[0]);
  };
  const hasScript = steps.length > 0;
  const isBegun = at >= 0;

  return (
    <FramedDialog
      className="script-dialog"
      maxWidth="42rem"
      title={t("Presentation script")}
      description={t(
        "Page Down asks the next question and opens its sources, Page Up goes back, B blanks the screen, and Escape stops. Presenter remotes work too.",
      )}
      before={
        hasScript && (
          <Button onClick={() => setProblem(openNotes(`${notes}#${withId()}`))}>{t("Presenter's window")}</Button>
        )
      }
      after={
        <>
          {isBegun && (
            <Button
              disabled={isReading}
              onClick={() => {
                startOver();
                present();
              }}
            >
              {t("Start over")}
            </Button>
          )}
          <Button isPrimary disabled={isReading} onClick={present}>
            {isBegun ? t("Continue presenting") : t("Present")}
          </Button>
        </>
      }
      frame={{ "data-over": isOver || undefined, onDragOver: drop, onDragLeave: drop, onDrop: drop }}
      onClose={onClose}
    >
      <div className="script-file">
        <FileButton ref={button} accept=".toml" onFiles={([chosen]) => take(chosen)}>
          {hasScript ? t("Choose another file…") : t("Choose a file…")}
        </FileButton>
        {hasScript && (
          <Button
            onClick={() => {
              reading.current.abort();
              setReading(false);
              takeScript([], null, true);
              setProblem("");
              button.current.focus();
            }}
          >
            {t("Remove script")}
          </Button>
        )}
        <span className="script-of">
          {hasScript && (file ? <bdi>{file}</bdi> : t("From the operator of this page"))}
          {!hasScript && t("Or drop it here. The file stays in this tab.")}
        </span>
      </div>
      <div role="alert" className="script-alert">
        {problem && <p className="callout callout-error script-problem">{problem}</p>}
      </div>
      {hasScript ? (
        <>
          <p className="script-count">{tn("One question", "{count} questions", steps.length)}</p>
          <Steps steps={steps} outcomes={outcomes} />
        </>
      ) : (
        <>
          <p className="script-count">{t("A script is a TOML file. A step looks like this:")}</p>
          <pre className="script-example">
            <code>{EXAMPLE}</code>
          </pre>
        </>
      )}
    </FramedDialog>
  );
}
