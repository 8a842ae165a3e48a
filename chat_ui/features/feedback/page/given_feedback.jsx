// The person's existing feedback, and the box for a comment.

import { useEffect, useId, useRef, useState } from "react";
import { allows } from "../../../page/painted/options.js";
import { t } from "../../../page/languages/language.js";
import { Alert } from "../../../page/shared/alert.jsx";
import { Button } from "../../../page/shared/button.jsx";
import { useLoaded } from "../../../page/shared/loading.js";
import { adopt } from "../../../page/shared/stylesheets.js";
import rules from "./feedback_details.css?inline";
import { change, read } from "./feedback.js";

adopt(rules);

const LONGEST = 2000;
const NO_NEWS = { isSaved: false, problem: "" };
// Unsaved drafts by their subject. They last as long as the page.
const unsaved = new Map();

/**
 * The feedback on an answer: null until loaded, and loaded again with another `rating`. `send` changes a part of it,
 * and resolves to whether that was saved, like `news`. `onLate` gets the text of a problem after unmounting.
 */
export function useFeedback(answer, onLate, rating = undefined) {
  const { value: feedback, setValue: setFeedback, problem: missing } = useLoaded(() => read(answer), [answer, rating]);
  const [news, setNews] = useState(NO_NEWS);
  const isHere = useRef(true);
  useEffect(() => {
    isHere.current = true;
    return () => {
      isHere.current = false;
    };
  }, [answer, rating]);
  const send = async (part) => {
    setNews(NO_NEWS);
    try {
      setFeedback(await change(answer, part));
      setNews({ isSaved: true, problem: "" });
      return true;
    } catch (problem) {
      if (isHere.current) setNews({ isSaved: false, problem });
      else onLate(problem);
      return false;
    }
  };
  return { feedback, send, news: { ...news, problem: news.problem || missing } };
}

/**
 * @param {{ of: string, saved: string | undefined, news: { isSaved: boolean, problem: string },
 *   onSave: (words: string) => Promise<boolean> }} props `of` names what the comment belongs to. `saved` is the comment
 *   that the server has; undefined until that is known.
 */
export function Comment({ of, saved, news, onSave }) {
  const [typed, setTyped] = useState(unsaved.get(of));
  const id = useId();
  const words = typed ?? saved ?? "";
  const hold = (newest) => {
    if (newest === undefined) unsaved.delete(of);
    else unsaved.set(of, newest);
    setTyped(newest);
  };
  const save = async () => {
    if ((await onSave(words)) && unsaved.get(of) === words) hold(undefined);
  };
  return (
    <>
      <label htmlFor={id}>{t("Comment (optional)")}</label>
      <textarea
        id={id}
        aria-describedby={allows("feedback_is_read") ? `${id}-hint` : undefined}
        className="input"
        rows={2}
        maxLength={LONGEST}
        dir="auto"
        readOnly={saved === undefined}
        value={words}
        onChange={({ target }) => hold(target.value)}
      />
      {allows("feedback_is_read") && (
        <p id={`${id}-hint`} className="field-help">
          {t("The operator of this page can read this, with the question and the answer.")}
        </p>
      )}
      <div className="dialog-buttons">
        <Button disabled={saved === undefined} onClick={save}>
          {t("Save")}
        </Button>
        <p role="status">{news.isSaved && typed === undefined && t("Saved.")}</p>
        <Alert className="field-error" words={news.problem} />
      </div>
    </>
  );
}
