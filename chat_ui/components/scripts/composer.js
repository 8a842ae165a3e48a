// The box for a question. The text stays in the browser until it is sent, so typing costs the server nothing.
// Enter sends, Shift+Enter breaks the line, Enter while a word is being composed (IME) belongs to the composition.

import { createElement, useEffect, useRef, useState } from "react";
import { AttachButton, useAttachments } from "./attachments.js";
import { isAmong, setUnderway, underway } from "./underway.js";

const DRAFT = "chat-ui-draft";
const RETURNED = "chat-ui-returned";

export function Composer({
  busy,
  ready,
  turns,
  maxLength,
  returned,
  returnedAs,
  attachments,
  takesImages,
  mostImages,
  timesHeard,
  onSend,
  onCall,
  children,
}) {
  const box = useRef(null);
  // The box takes text before the page has come alive; what it cannot do until then is to send it.
  const [alive, setAlive] = useState(false);
  const [wrong, setWrong] = useState("");
  const [early, setEarly] = useState(false);
  const calledFor = useRef([]);
  const attached = useAttachments(attachments, takesImages, mostImages, () => box.current.focus());

  const giveBack = (questions) => {
    const words = [...questions.map(({ question }) => question), box.current.value];
    box.current.value = words.filter((each) => each.trim()).join("\n");
    sessionStorage.setItem(DRAFT, box.current.value);
    attached.giveBack(questions.flatMap(({ images }) => images));
  };

  useEffect(() => {
    setAlive(true);
    const typed = box.current.value;
    const asked = new URLSearchParams(window.location.search).get("q");
    box.current.value = typed.trimEnd() || (asked ?? sessionStorage.getItem(DRAFT) ?? "");
    // Enter was pressed before there was anything to hear it.
    if (typed.trim() && typed.endsWith("\n")) box.current.form.requestSubmit();
    // On a phone this would raise the keyboard over the page.
    if (matchMedia("(pointer: fine)").matches) box.current.focus({ preventScroll: true });
  }, []);

  useEffect(() => {
    if (!returned || sessionStorage.getItem(RETURNED) === returnedAs) return;
    sessionStorage.setItem(RETURNED, returnedAs);
    const sent = underway();
    const one = sent.find(({ question }) => question === returned);
    setUnderway(sent.filter((other) => other !== one));
    giveBack([one ?? { question: returned, images: [] }]);
  }, [returned, returnedAs]);

  useEffect(() => setUnderway(underway().filter((sent) => !isAmong(turns, sent))), [turns]);

  // The server answers a call after all that was said before it, so what is not there by then was lost on the way.
  useEffect(() => {
    const called = new Set(calledFor.current.splice(0).map(({ sentAt }) => sentAt));
    const sent = underway();
    const lost = sent.filter(({ sentAt }) => called.has(sentAt));
    if (lost.length === 0) return;
    setUnderway(sent.filter((one) => !lost.includes(one)));
    giveBack(lost);
    setWrong("This question did not arrive. Send it again.");
  }, [timesHeard]);
  useEffect(() => {
    calledFor.current = ready ? underway() : [];
    if (calledFor.current.length > 0) onCall?.();
  }, [ready]);

  const awaited =
    (busy && "The answer is still being written. Wait for its end or stop it, then send.") ||
    (attached.sending && "An image is still being attached. Wait a moment, then send.");
  const problem = wrong || (early && awaited) || attached.problem;

  useEffect(() => {
    if (!awaited) setEarly(false);
  }, [awaited]);

  const submit = (event) => {
    event.preventDefault();
    const question = box.current.value;
    if (!question.trim()) return;
    if (question.length > maxLength) {
      const [length, most] = [question.length, maxLength].map((number) => number.toLocaleString("en"));
      setWrong(`This question has ${length} characters; ${most} are allowed. Shorten it, then send it again.`);
      return;
    }
    setWrong("");
    setEarly(Boolean(awaited));
    if (awaited || attached.tooMany) return;
    const sent = { question, images: attached.named(), after: turns.at(-1)?.id, sentAt: Date.now() };
    setUnderway([...underway(), sent]);
    onSend?.(question, attached.ids());
    attached.clear();
    box.current.value = "";
    sessionStorage.removeItem(DRAFT);
    box.current.focus();
  };
  const key = (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    if (!event.repeat) event.currentTarget.form.requestSubmit();
  };

  // Text that is pasted or dropped goes into the box as ever.
  const take = (event, transfer) => {
    if (!transfer?.files.length) return;
    event.preventDefault();
    attached.add(transfer.files);
  };

  return createElement(
    "form",
    {
      className: "composer",
      method: "dialog",
      onSubmit: submit,
      onPaste: (event) => take(event, event.clipboardData),
      onDragOver: (event) => event.dataTransfer.types.includes("Files") && event.preventDefault(),
      onDrop: (event) => take(event, event.dataTransfer),
    },
    attached.list,
    takesImages && alive && createElement(AttachButton, { onFiles: attached.add }),
    createElement("textarea", {
      ref: box,
      "aria-label": "Message",
      placeholder: "Ask a question",
      rows: 1,
      enterKeyHint: "send",
      onKeyDown: key,
      onInput: (event) => sessionStorage.setItem(DRAFT, event.target.value),
    }),
    createElement("fieldset", { className: "composer-buttons", disabled: !alive }, children),
    problem && createElement("p", { role: "alert", className: "composer-problem" }, problem),
  );
}
