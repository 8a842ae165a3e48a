// A comment that is saved when its box is left, and what became of that.

import { useEffect, useId, useRef, useState } from "react";
import { allows } from "../branding/branding.js";
import { t } from "../languages/language.js";
import { afterPress } from "../shared/pressed.js";
import { adopt } from "../shared/stylesheets.js";
import { announce } from "../speech/announcer.jsx";
import { announcing, draftOf, hold, keep, leave, listen } from "./comment_drafts.js";
import rules from "./feedback_details.css?inline";

adopt(rules);

const LONGEST = 2000;
const NONE = { kept: null, problem: "", isRefused: false };

/**
 * @param {{
 *   of: { answer: string, part: string },
 *   given: string | undefined,
 *   feedback: ReturnType<typeof import("./given_feedback.js").useFeedback>,
 *   onLate: (words: string) => void,
 *   onDone?: () => void,
 * }} props `given` is the comment that is kept; undefined until that is known. `onLate` gets the words of a problem once
 * the box is gone.
 */
export function Comment({ of, given, feedback, onLate, onDone }) {
  const box = useRef(null);
  // The comment that the words in the box replace.
  const shown = useRef("");
  const [news, setNews] = useState(NONE);
  const [isSending, setSending] = useState(false);
  const id = useId();
  const isKnown = given !== undefined;
  const show = (words) => {
    shown.current = words;
    box.current.value = words;
  };
  useEffect(() => {
    const draft = draftOf(of);
    if (isKnown) show(given);
    if (draft === undefined) return;
    box.current.value = draft;
    if (isKnown) keep(of);
  }, [isKnown]);
  useEffect(() => {
    if (isKnown && draftOf(of) === undefined && document.activeElement !== box.current) show(given);
  }, [given]);
  useEffect(() => {
    listen(of, (found) => {
      if (found.kept !== null) {
        shown.current = found.kept;
        feedback.setProblem("");
      }
      // Another comment may be there, which the words say; the next that is typed is meant to replace it.
      if (found.isRefused) feedback.reload();
      afterPress(() => setNews(found));
    });
    const gone = () => leave(of);
    const hidden = () => document.visibilityState === "hidden" && leave(of);
    window.addEventListener("pagehide", gone);
    document.addEventListener("visibilitychange", hidden);
    return () => {
      window.removeEventListener("pagehide", gone);
      document.removeEventListener("visibilitychange", hidden);
      listen(of, announcing(onLate));
      keep(of);
    };
  }, []);
  const left = () => {
    if (draftOf(of) !== undefined) keep(of);
    else if (isKnown) show(given);
  };
  const done = async () => {
    const isTyped = draftOf(of) !== undefined;
    setSending(true);
    const isKept = await keep(of);
    if (!box.current) return;
    setSending(false);
    const isTypedOn = draftOf(of) !== undefined || document.activeElement === box.current;
    if (!isKept || isTypedOn) return;
    if (isTyped) announce(t("Saved."));
    onDone();
  };
  const problems = new Set([feedback.problem, news.problem].filter(Boolean));
  const outcome = news.kept !== null ? t("Saved.") : feedback.outcome;
  return (
    <>
      <label htmlFor={id}>{t("Comment (optional)")}</label>
      <textarea
        ref={box}
        id={id}
        aria-describedby={allows("feedback_is_read") ? `${id}-hint` : undefined}
        className="input"
        rows={2}
        maxLength={LONGEST}
        dir="auto"
        readOnly={!isKnown}
        onInput={() => {
          hold(of, box.current.value, news.isRefused ? given : shown.current);
          setNews((before) => ({ ...before, kept: null }));
          feedback.setOutcome("");
        }}
        onBlur={left}
      />
      {allows("feedback_is_read") && (
        <p id={`${id}-hint`} className="feedback-hint">
          {t("The operator of this page can read this, with the question and the answer.")}
        </p>
      )}
      <div className="dialog-buttons">
        {onDone && (
          <button type="button" className="button" aria-busy={isSending} onClick={done}>
            {t("Done")}
          </button>
        )}
        <p role="status">{problems.size === 0 && outcome}</p>
      </div>
      {[...problems].map((words) => (
        <p key={words} role="alert">
          {words}
        </p>
      ))}
    </>
  );
}
