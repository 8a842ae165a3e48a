// The text of a question as typed; the rest of a very long one is loaded on request. It can be edited and asked again,
// with a pager for its versions.

import { Pencil } from "lucide-react";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { t } from "../languages/language.js";
import { Alert } from "../shared/alert.jsx";
import { Button, IconButton } from "../shared/button.jsx";
import { useFittedHeight } from "../shared/fitted_box.js";
import { hear, pressed } from "../shared/hearing.js";
import { fetched, untilLoaded } from "../shared/loading.js";
import { holdUntilSaved } from "../asking/unsaved_questions.js";

// The drafts of edited questions by turn: a reconnecting page may render all turns again.
const EDITS = "chat-ui-edits";
const GIVEN_BACK = "chat-ui-edit-given-back";

// The first line of a question, or as many of its words as fit a heading.
const HEADING = /^\s*\S(?:.{0,58}\S)?(?!\S)|^\s*.{60}/u;

const edits = () => JSON.parse(sessionStorage.getItem(EDITS)) ?? {};

function keepEdit(turn, edit) {
  const { [turn]: former, ...others } = edits();
  sessionStorage.setItem(EDITS, JSON.stringify(edit ? { ...others, [turn]: edit } : others));
}

// The edited question has arrived, so remove its draft from the former one.
function handOver(conversation, turn, isThis) {
  for (const [edited, { words, asked }] of Object.entries(edits())) {
    if (!asked || edited === turn || !isThis(words)) continue;
    holdUntilSaved({ conversation, turn, edited, question: words, images: [] });
    keepEdit(edited);
  }
}

// Opens the edit box of a turn on the page with this text.
export function giveBackEdit(turn, words) {
  keepEdit(turn, { words });
  window.dispatchEvent(new Event(GIVEN_BACK));
}

export function QuestionText({ turn: shownTurn, maxLength, onEdit, children }) {
  const { id: turn, conversation, question: text, question_is_cut: isCut } = shownTurn;
  const [complete, setComplete] = useState(null);
  const [failed, setFailed] = useState(false);
  const [editing, setEditing] = useState(() => turn in edits());
  const [early, setEarly] = useState(false);
  const box = useRef(null);
  const isAgain = useRef(editing);
  const opener = useRef(null);
  const loading = useRef(null);
  const closed = useRef(false);
  const shown = complete ?? text;
  const heading = shown.match(HEADING)?.[0] ?? "";

  const load = (then) => {
    loading.current?.();
    const attempt = async (signal) => {
      const words = complete ?? (isCut ? await (await fetched(shownTurn.question_address, signal)).text() : text);
      signal.throwIfAborted();
      setFailed(false);
      setComplete(words);
      then?.();
    };
    loading.current = untilLoaded(attempt, () => setFailed(true));
  };
  useFittedHeight(box);
  useEffect(() => () => loading.current?.(), []);
  useEffect(() => {
    handOver(conversation, turn, (words) => (isCut ? words.startsWith(text) : words === text));
    const open = () => setEditing(turn in edits());
    return hear(window, { [GIVEN_BACK]: open });
  }, []);
  useLayoutEffect(() => {
    if (!editing) {
      if (closed.current) opener.current.focus({ preventScroll: true });
      closed.current = false;
      return;
    }
    // A focus that has moved elsewhere stays there.
    if (isAgain.current && document.activeElement !== document.body) return;
    const end = box.current.value.length;
    box.current.focus({ preventScroll: true });
    box.current.setSelectionRange(end, end);
    // The thread first keeps the place of the question.
    requestAnimationFrame(() => box.current?.scrollIntoView({ block: "nearest" }));
  }, [editing]);

  const close = () => {
    keepEdit(turn);
    isAgain.current = false;
    closed.current = true;
    setEditing(false);
    setEarly(false);
  };
  const submit = (event) => {
    event.preventDefault();
    const words = box.current.value;
    const answering = event.target.closest("[data-answering=true]") !== null;
    setEarly(answering);
    if (!words.trim() || answering) return;
    // Keep the text until another question replaces this one: the edit may be refused, or be lost.
    keepEdit(turn, { words, asked: true });
    onEdit?.(words);
  };

  if (editing)
    return (
      <form className="question-edit" method="dialog" onSubmit={submit}>
        <textarea
          ref={box}
          className="input"
          aria-label={t("Edited question")}
          enterKeyHint="send"
          defaultValue={edits()[turn]?.words ?? complete ?? text}
          maxLength={maxLength}
          onInput={(event) => keepEdit(turn, { words: event.currentTarget.value })}
          onKeyDown={(event) => {
            if (pressed(event, "Escape")) {
              event.preventDefault();
              close();
            }
            if (pressed(event, "Enter") && !event.shiftKey) submit(event);
          }}
        />
        <Alert
          className="composer-problem"
          words={early && t("The answer is still being written. Wait until it ends or stop it, then ask again.")}
        />
        <span className="dialog-buttons">
          <Button onClick={close}>{t("Cancel")}</Button>
          <button type="submit" className="button button-primary">
            {t("Ask again")}
          </button>
        </span>
      </form>
    );
  return (
    <div className="question-text-frame">
      <div className="question-text" dir="auto" lang={shownTurn.question_language || undefined}>
        {heading && <h2>{heading}</h2>}
        {shown.slice(heading.length)}
        {isCut && complete === null && <span aria-hidden="true">…</span>}
        {isCut && complete === null && (
          <button type="button" className="link-button" onClick={() => load()}>
            {failed ? t("Could not be loaded. Try again") : t("Show the whole question")}
          </button>
        )}
      </div>
      <div className="question-tools">
        <IconButton
          ref={opener}
          label={t("Edit question")}
          className="edit-question"
          onClick={() => load(() => setEditing(true))}
          sign={Pencil}
          size={14}
        />
        {children}
      </div>
    </div>
  );
}
