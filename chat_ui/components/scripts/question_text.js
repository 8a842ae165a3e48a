// The text of a question as it was typed; the rest of a very long one is fetched when it is asked for. It can be edited
// and asked again, and its earlier versions stay within reach.

import { Pencil } from "lucide-react";
import { createElement, useEffect, useRef, useState } from "react";

// What questions are being edited to, by turn: a page that loses its connection may show all turns anew.
const EDITS = "chat-ui-edits";

const edits = () => JSON.parse(sessionStorage.getItem(EDITS)) ?? {};

function keepEdit(turn, edit) {
  const { [turn]: former, ...others } = edits();
  sessionStorage.setItem(EDITS, JSON.stringify(edit ? { ...others, [turn]: edit } : others));
}

// The question that another one became is here, so its words need not be kept.
function forgetAsked(turn, isThis) {
  for (const [of, { words, asked }] of Object.entries(edits())) if (asked && of !== turn && isThis(words)) keepEdit(of);
}

export function QuestionText({ turn, text, cut, address, maxLength, onEdit, children }) {
  const [whole, setWhole] = useState(null);
  const [failed, setFailed] = useState(false);
  const [editing, setEditing] = useState(() => turn in edits());
  const [early, setEarly] = useState(false);
  const box = useRef(null);
  const isAgain = useRef(editing);
  const opener = useRef(null);

  const fetched = () =>
    whole !== null || !cut
      ? Promise.resolve(whole ?? text)
      : fetch(address, { credentials: "same-origin" }).then((response) =>
          response.ok ? response.text() : Promise.reject(response.status),
        );
  const load = (then) =>
    fetched()
      .then((words) => {
        setFailed(false);
        setWhole(words);
        then?.();
      })
      .catch(() => setFailed(true));
  useEffect(() => forgetAsked(turn, (words) => (cut ? words.startsWith(text) : words === text)), []);
  useEffect(() => {
    if (!editing) return;
    // Whoever is somewhere else by now is left there.
    if (isAgain.current && document.activeElement !== document.body) return;
    const end = box.current.value.length;
    box.current.focus();
    box.current.setSelectionRange(end, end);
  }, [editing]);

  const close = () => {
    keepEdit(turn);
    isAgain.current = false;
    setEditing(false);
    setEarly(false);
    requestAnimationFrame(() => opener.current?.focus());
  };
  const submit = (event) => {
    event.preventDefault();
    const words = box.current.value;
    const answering = event.target.closest("[data-answering=true]") !== null;
    setEarly(answering);
    if (!words.trim() || answering) return;
    // The words stay until another question is in the place of this one: it may be refused, or never arrive.
    keepEdit(turn, { words, asked: true });
    onEdit?.(words);
  };

  if (editing)
    return createElement(
      "form",
      { className: "question-edit", method: "dialog", onSubmit: submit },
      createElement("textarea", {
        ref: box,
        className: "input",
        "aria-label": "Edited question",
        defaultValue: edits()[turn]?.words ?? whole ?? text,
        maxLength,
        onInput: (event) => keepEdit(turn, { words: event.target.value }),
        onKeyDown: (event) => {
          if (event.key === "Escape") close();
          if (event.key === "Enter" && !event.shiftKey && !event.nativeEvent.isComposing) submit(event);
        },
      }),
      early &&
        createElement(
          "p",
          { role: "alert", className: "composer-problem" },
          "The answer is still being written. Wait for its end or stop it, then ask again.",
        ),
      createElement(
        "span",
        { className: "dialog-buttons" },
        createElement("button", { type: "button", className: "button", onClick: close }, "Cancel"),
        createElement("button", { type: "submit", className: "button button-primary" }, "Ask again"),
      ),
    );
  return createElement(
    "div",
    { className: "question-text-frame" },
    createElement(
      "div",
      { className: "question-text", dir: "auto" },
      whole ?? text,
      cut && whole === null && createElement("span", { "aria-hidden": "true" }, "…"),
      cut &&
        whole === null &&
        createElement(
          "button",
          { type: "button", className: "link-button", onClick: () => load() },
          failed ? "It could not be loaded. Try again" : "Show the whole question",
        ),
    ),
    createElement(
      "div",
      { className: "question-tools" },
      children,
      createElement(
        "button",
        {
          ref: opener,
          type: "button",
          className: "tool edit-question",
          "aria-label": "Edit question",
          title: "Edit question",
          onClick: () => load(() => setEditing(true)),
        },
        createElement(Pencil, { size: 14, "aria-hidden": true }),
      ),
    ),
  );
}
