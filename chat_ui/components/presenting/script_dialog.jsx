// The dialog Presentation script: the steps that presenting goes through, from a file or from the operator.

import { Dialog } from "@radix-ui/themes";
import { useEffect, useRef, useState } from "react";
import { t, tn } from "../languages/language.js";
import "../languages/later.js";
import { useBackStep } from "../shared/back_steps.js";
import { giveDialogFocusBack, rememberDialogOpener } from "../shared/focus.js";
import { openNotes } from "./full_screen.js";
import { keptShut, openingWords } from "./opening.js";
import "./script_dialog.css";
import { showing, startOver, takeScript, useShowing, withId } from "./showing.js";

const EXAMPLE = `[[step]]
question = "How much parental leave do I get?"
open = "citation 1"
notes = "The policy is from this year."`;

const notRead = () => t("The file could not be read. Try again in a little while.");

async function read(address, file) {
  const response = await fetch(address, { method: "POST", credentials: "same-origin", body: file });
  if (response.ok) return { steps: (await response.json()).steps };
  const isOwn = response.headers.get("Content-Type")?.startsWith("text/plain");
  return { problem: isOwn ? await response.text() : notRead() };
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
  const { steps, file, outcomes, at } = useShowing();
  const [problem, setProblem] = useState("");
  const [isOver, setOver] = useState(false);
  const input = useRef(null);
  const button = useRef(null);
  useBackStep(true, onClose);

  const take = (chosen) => {
    if (!chosen) return;
    read(scripts, chosen)
      .catch(() => ({ problem: notRead(), steps: undefined }))
      .then((outcome) => {
        setProblem(outcome.problem ?? "");
        if (outcome.steps) takeScript(outcome.steps, chosen.name, true);
      });
  };
  useEffect(() => {
    const { isChosen } = showing();
    if (isChosen || steps.length > 0) return undefined;
    const gone = new AbortController();
    fetch(scripts, { credentials: "same-origin", signal: gone.signal })
      .then((response) => (response.status === 200 ? response.json() : null))
      .then((given) => given && takeScript(given.steps, null, false))
      .catch((error) => gone.signal.aborted || console.warn(error));
    return () => gone.abort();
  }, []);
  const drop = (event) => {
    if (!event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    setOver(event.type === "dragover");
    if (event.type === "drop") take(event.dataTransfer.files[0]);
  };
  const hasScript = steps.length > 0;
  const isBegun = at >= 0;

  return (
    <Dialog.Root open onOpenChange={(isOpen) => isOpen || onClose()}>
      <Dialog.Content
        className="script-dialog framed"
        maxWidth="42rem"
        onOpenAutoFocus={rememberDialogOpener}
        onCloseAutoFocus={giveDialogFocusBack}
      >
        <div className="framed-form" data-over={isOver || undefined} onDragOver={drop} onDragLeave={drop} onDrop={drop}>
          <div className="framed-head">
            <Dialog.Title>{t("Presentation script")}</Dialog.Title>
            <Dialog.Description size="2">
              {t(
                "While the page presents, Page Down asks the next question and opens what belongs to it, Page Up goes back, B blanks, and Escape ends it. A clicker has these keys.",
              )}
            </Dialog.Description>
          </div>
          <div className="framed-body">
            <div className="script-file">
              <input
                ref={input}
                type="file"
                accept=".toml"
                hidden
                onChange={({ target }) => {
                  take(target.files[0]);
                  // The same file can be chosen again once it is mended.
                  target.value = "";
                }}
              />
              <button ref={button} type="button" className="button" onClick={() => input.current.click()}>
                {hasScript ? t("Choose another file…") : t("Choose a file…")}
              </button>
              {hasScript && (
                <button
                  type="button"
                  className="button"
                  onClick={() => {
                    takeScript([], null, true);
                    setProblem("");
                    button.current.focus();
                  }}
                >
                  {t("Present without a script")}
                </button>
              )}
              <span className="script-of">
                {hasScript && (file ? <bdi>{file}</bdi> : t("From the operator of this page"))}
                {!hasScript && t("Or drop it here. It stays in this tab.")}
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
                <p className="script-count">{t("A script is a TOML file. Each step looks like this:")}</p>
                <pre className="script-example">
                  <code>{EXAMPLE}</code>
                </pre>
              </>
            )}
          </div>
          <div className="framed-foot dialog-buttons">
            {hasScript && (
              <button
                type="button"
                className="button"
                onClick={() => setProblem(openNotes(`${notes}#${withId()}`) ? "" : keptShut())}
              >
                {t("Presenter's window")}
              </button>
            )}
            <span className="spacer" />
            <Dialog.Close>
              <button type="button" className="button">
                {t("Close")}
              </button>
            </Dialog.Close>
            {isBegun && (
              <button
                type="button"
                className="button"
                onClick={() => {
                  startOver();
                  onClose();
                  onPresent();
                }}
              >
                {t("Start over")}
              </button>
            )}
            <button
              type="button"
              className="button button-primary"
              onClick={() => {
                onClose();
                onPresent();
              }}
            >
              {isBegun ? t("Go on presenting") : t("Present")}
            </button>
          </div>
        </div>
      </Dialog.Content>
    </Dialog.Root>
  );
}
