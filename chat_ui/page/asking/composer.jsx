// The composer. The text stays in the browser until it is sent, so typing costs the server nothing. Enter sends,
// Shift+Enter breaks the line, Enter during composition (IME) belongs to the composition. A question without a
// connection is queued at the end of the conversation.

import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { t, tn } from "../languages/language.js";
import { openEarly } from "../thread/early_stream.js";
import { announce } from "../announcing/announcer.jsx";
import { useProvided } from "../shared/provided.js";
import { AttachButton, useAttachments } from "./attachments.jsx";
import { useCommand } from "../commands/commands.js";
import { useConnection } from "../connection/connection.js";
import { Alert } from "../shared/alert.jsx";
import { useFittedHeight } from "../shared/fitted_box.js";
import { focusHome } from "../shared/focus.js";
import { hear, pressed } from "../shared/hearing.js";
import { giveBackEdit } from "../thread/question_text.jsx";
import { claim, setPending, turnOf, pending, usePending } from "./pending_questions.js";
import { holdUntilSaved, useUnsaved } from "./unsaved_questions.js";

const DRAFT = "chat-ui-draft";
const RETURNED = "chat-ui-returned";

const SLIDE = { duration: 200, easing: "ease-out" };

// The box slides from the middle of the page to its end with the first question; `note` stores its position before.
function useSlide(form, isEmpty) {
  const from = useRef(null);
  useLayoutEffect(() => {
    const frame = form.current.parentElement;
    frame.parentElement.toggleAttribute("data-asked", !isEmpty);
    const start = from.current;
    from.current = null;
    if (isEmpty || start === null || matchMedia("(prefers-reduced-motion: reduce)").matches) return undefined;
    const way = start - frame.getBoundingClientRect().top;
    const slide = frame.animate([{ transform: `translateY(${way}px)` }, { transform: "none" }], SLIDE);
    return () => slide.cancel();
  }, [isEmpty]);
  return () => {
    if (isEmpty) from.current = form.current.parentElement.getBoundingClientRect().top;
  };
}

// A focus ring is for keyboard users; others see the caret and a darker edge.
function useFocusByKeys(form) {
  useEffect(() => {
    let byKeys = false;
    const note = (event) => (byKeys = event.type === "keydown" && event.key === "Tab");
    const tell = () => form.current.toggleAttribute("data-by-keys", byKeys);
    form.current.addEventListener("focusin", tell);
    return hear(document, { keydown: note, pointerdown: note }, { capture: true });
  }, []);
}

// A unique time among the questions.
const newTime = () => Math.max(Date.now(), ...pending().map(({ sentAt }) => sentAt + 1));

export function Composer(props) {
  const { busy, ready, readable, conversation, insteadOf, turns, written, findings, answers, maxLength } = props;
  const { returned, returnedAs, attachments, accepts, mostImages, pongs, compared, differing } = props;
  const { onSend, onPing, onAskAfter, children } = props;
  const form = useRef(null);
  const box = useRef(null);
  // The box takes text before hydration, and sends it afterwards.
  const [alive, setAlive] = useState(false);
  const BoxTool = useProvided("box-tool");
  const attachMenu = useProvided("attach-menu");
  const [wrong, setWrong] = useState("");
  const [early, setEarly] = useState(false);
  const pingedFor = useRef([]);
  // Whether the server has handled all events from before the connection, which may have changed the conversation.
  const settled = useRef(false);
  const { isConnected, connect } = useConnection();
  const attached = useAttachments(attachments, accepts, mostImages, focusHome);
  // A new conversation gets its id with its first question; before hydration it is the open one.
  const here = turns.length > 0 ? conversation : "";

  const giveBack = (questions) => {
    const words = [...questions.map(({ question }) => question), box.current.value];
    box.current.value = words.filter((each) => each.trim()).join("\n");
    sessionStorage.setItem(DRAFT, box.current.value);
    attached.giveBack(questions.flatMap(({ images }) => images));
  };

  const waiting = usePending();
  const noteBeginning = useSlide(form, turns.length === 0 && waiting.length === 0);
  useFocusByKeys(form);
  useFittedHeight(box);
  useCommand("message", () => box.current.focus());
  useEffect(() => {
    setAlive(true);
    // React does not receive events of an unmounted box, in which dictation may still add text.
    box.current.addEventListener("input", ({ target }) => sessionStorage.setItem(DRAFT, target.value));
    const typed = box.current.value;
    const asked = new URLSearchParams(window.location.search).get("q");
    const draft = sessionStorage.getItem(DRAFT);
    // A reloaded page has its own text; a page opened by a link has the link's.
    const [loading] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType("navigation"));
    const isAgain = loading?.type === "reload";
    box.current.value = typed.trimEnd() || ((isAgain ? (draft ?? asked) : (asked ?? draft)) ?? "");
    // Enter was pressed before hydration.
    if (typed.trim() && typed.endsWith("\n")) box.current.form.requestSubmit();
    // On a phone, focus would raise the keyboard over the page; from a frame, it would leave the embedding page.
    const isElsewhere = window.parent !== window && !document.hasFocus();
    if (isElsewhere || document.activeElement !== document.body || !matchMedia("(pointer: fine)").matches) return;
    focusHome();
  }, []);

  useEffect(() => {
    if (!returned || sessionStorage.getItem(RETURNED) === returnedAs) return;
    sessionStorage.setItem(RETURNED, returnedAs);
    const sent = pending();
    const one = sent.find(({ question }) => question === returned);
    setPending(sent.filter((other) => other !== one));
    giveBack([one ?? { question: returned, images: [] }]);
  }, [returned, returnedAs]);

  const handOver = () => {
    const sent = pending();
    const next = sent.find(({ waits }) => waits);
    if (!next || !settled.current || busy || sent.some(({ waits }) => !waits)) return;
    if (next.conversation !== null && next.conversation !== here) {
      setPending([]);
      giveBack(sent);
      setWrong(t("This question was waiting in another conversation. Send it here, or keep it for the other one."));
      return;
    }
    if (!isConnected()) {
      // A question that was already sent cannot be restored.
      connect();
      return;
    }
    if (!claim(next.sentAt)) {
      setPending(sent.filter((one) => one !== next));
      handOver();
      return;
    }
    setPending(
      sent.map((one) => (one === next ? { ...one, after: turns.at(-1)?.id, into: conversation, waits: false } : one)),
    );
    onSend?.(
      next.question,
      next.images.map(({ id }) => id),
      openEarly(answers, conversation),
      conversation,
    );
  };
  const sendOff = (question, images) => {
    const sentAt = newTime();
    setWrong("");
    noteBeginning();
    setPending([...pending(), { question, images, conversation: ready ? here : null, sentAt, waits: true }]);
    handOver();
    if (!isConnected()) announce(t("The question is waiting to be sent."));
  };
  const takeBack = ({ sentAt }) => {
    const sent = pending();
    const one = sent.find((other) => other.sentAt === sentAt && other.waits);
    if (!one) return;
    setPending(sent.filter((other) => other !== one));
    giveBack([one]);
    box.current.focus();
  };
  // Below existing text, as if typed; a repeated request adds it only once.
  const fill = (words) => {
    const question = words.trim().replace(/\r\n?/g, "\n");
    const typed = box.current.value.trimEnd();
    if (!`\n${typed}`.endsWith(`\n${question}`)) box.current.value = typed ? `${typed}\n${question}` : question;
    box.current.dispatchEvent(new Event("input", { bubbles: true }));
    focusHome();
  };
  useCommand("ask", (question) => sendOff(question, []));
  useCommand("take-back", takeBack);
  useCommand("fill", fill);

  useEffect(() => {
    const sent = pending();
    const arrived = sent.filter((one) => {
      const turn = one.waits ? undefined : turnOf(one, [conversation, insteadOf], turns);
      if (turn) holdUntilSaved({ conversation, turn: turn.id, question: one.question, images: one.images });
      return turn !== undefined;
    });
    if (arrived.length === 0) return;
    // Questions queued behind the first of a conversation belong to that conversation.
    const belongs = ({ conversation }) => arrived.some((one) => one.conversation === conversation);
    const others = sent.filter((one) => !arrived.includes(one));
    setPending(others.map((one) => (belongs(one) ? { ...one, conversation: here } : one)));
  }, [turns, insteadOf]);
  useUnsaved({
    conversation,
    turns,
    written,
    ready: ready && readable,
    findings,
    onAsk: onAskAfter,
    onLost: (lost) => {
      const isEdit = ({ edited }) => turns.some(({ id }) => id === edited);
      for (const { edited, question } of lost.filter(isEdit)) giveBackEdit(edited, question);
      giveBack(lost.filter((one) => !isEdit(one)));
      setWrong(t("The server stopped before it saved this question. Send it again."));
    },
  });

  // The server answers a ping after all earlier events, so a question that is still missing was lost. It goes back into
  // the box, or stays queued if others are behind it.
  useEffect(() => {
    settled.current = ready;
    const pinged = new Set(pingedFor.current.splice(0).map(({ sentAt }) => sentAt));
    const sent = pending();
    const strayed = sent.filter(({ sentAt, waits }) => !waits && pinged.has(sentAt));
    if (strayed.length === 0) return;
    if (sent.length > strayed.length) {
      setPending(sent.map((one) => (strayed.includes(one) ? { ...one, sentAt: newTime(), waits: true } : one)));
      return;
    }
    setPending([]);
    giveBack(strayed);
    setWrong(t("This question did not arrive. Send it again."));
  }, [pongs]);
  useEffect(() => {
    const sent = ready ? pending() : [];
    pingedFor.current = readable ? sent.filter(({ waits }) => !waits) : [];
    settled.current = ready && sent.length === 0;
    if (sent.length > 0) onPing?.();
  }, [ready, readable]);
  useEffect(handOver, [ready, busy, turns, pongs, returnedAs]);

  const awaited =
    (busy && t("The answer is still being written. Wait until it ends or stop it, then send.")) ||
    (attached.sending && t("A file is still uploading. Wait a moment, then send."));
  const problem = wrong || (early && awaited) || attached.problem;

  useEffect(() => {
    if (!awaited) setEarly(false);
  }, [awaited]);

  const submit = (event) => {
    event.preventDefault();
    const question = box.current.value;
    if (!question.trim()) return;
    if (question.length > maxLength) {
      setWrong(
        tn(
          "This question has one character; at most {most} are allowed. Shorten it, then send it again.",
          "This question has {count} characters; at most {most} are allowed. Shorten it, then send it again.",
          question.length,
          { most: maxLength },
        ),
      );
      return;
    }
    setWrong("");
    // Without a connection the question is queued, for an unknown time.
    const isEarly = Boolean(awaited) && (attached.sending || isConnected());
    setEarly(isEarly);
    if (isEarly || attached.unsendable) return;
    sendOff(question, attached.named());
    attached.clear();
    box.current.value = "";
    sessionStorage.removeItem(DRAFT);
    if (document.activeElement !== box.current) focusHome();
  };
  const key = (event) => {
    if (!pressed(event, "Enter") || event.shiftKey) return;
    event.preventDefault();
    if (!event.repeat) event.currentTarget.form.requestSubmit();
  };

  // Pasted or dropped text goes into the box as usual.
  const take = (event, transfer) => {
    if (!transfer?.files.length) return;
    event.preventDefault();
    attached.add(transfer.files);
  };

  return (
    <form
      ref={form}
      className="composer"
      method="dialog"
      onSubmit={submit}
      onPaste={(event) => take(event, event.clipboardData)}
      onDragOver={(event) => event.dataTransfer.types.includes("Files") && event.preventDefault()}
      onDrop={(event) => take(event, event.dataTransfer)}
    >
      {attached.list}
      <textarea
        ref={box}
        id="message"
        aria-label={t("Message")}
        placeholder={t("Ask a question")}
        rows={1}
        enterKeyHint="send"
        onKeyDown={key}
      />
      {alive && BoxTool && <BoxTool box={box} onProblem={setWrong} />}
      {alive && <AttachButton accepts={accepts} entries={attachMenu} onFiles={attached.add} />}
      <p className="composer-chips">
        {compared && (
          <span title={compared} dir="auto">
            {compared}
          </span>
        )}
        {differing > 0 && <span>{tn("one option changed", "{count} options changed", differing)}</span>}
      </p>
      <fieldset className="composer-buttons" disabled={!alive}>
        {children}
      </fieldset>
      <Alert className="composer-problem" words={problem} />
    </form>
  );
}
