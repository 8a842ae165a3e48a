// A comment that is saved when its box is left, and what became of that.

import { useEffect, useId, useRef } from "react";
import { allows } from "../branding/branding.js";
import { t } from "../languages/language.js";
import "../languages/later.js";

const LONGEST = 2000;

/**
 * @param {{
 *   given: string | undefined,
 *   outcome: string,
 *   problem: string,
 *   onEdit: () => void,
 *   onSave: (words: string) => Promise<boolean>,
 *   onDone?: () => void,
 * }} props `given` is the comment that is kept; undefined until that is known. `onSave` says whether it was saved:
 * what was not is sent again when the box is left again.
 */
export function Comment({ given, outcome, problem, onEdit, onSave, onDone }) {
  const box = useRef(null);
  const saved = useRef("");
  const id = useId();
  useEffect(() => {
    if (given === undefined) return;
    saved.current = given;
    box.current.value ||= given;
  }, [given]);
  const save = () => {
    const words = box.current.value;
    if (given === undefined || words === saved.current) return;
    onSave(words).then((isSaved) => {
      if (isSaved) saved.current = words;
    });
  };
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
        onInput={onEdit}
        onBlur={save}
      />
      {allows("feedback_is_read") && (
        <p id={`${id}-hint`} className="feedback-hint">
          {t("The operator of this page can read this, with the question and the answer.")}
        </p>
      )}
      <div className="dialog-buttons">
        {onDone && (
          <button type="button" className="button" onClick={onDone}>
            {t("Done")}
          </button>
        )}
        <p role="status">{outcome}</p>
      </div>
      {problem && <p role="alert">{problem}</p>}
    </>
  );
}
