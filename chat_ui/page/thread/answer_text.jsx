// Shows the text of an answer: block by block from an event stream, and as a document once complete. React renders an
// empty element and ignores its content, which is safe HTML from the server.

import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { t } from "../languages/language.js";
import { isEarly, takeEarly } from "./early_stream.js";
import { element } from "../shared/element.js";
import { hear } from "../shared/hearing.js";
import { announceAnswer } from "../announcing/announce_answer.js";
import { announce } from "../announcing/announcer.jsx";
import { RUNNING, tellEnd } from "./answer_ends.js";
import { arrange, setLanguage } from "./arranging.js";
import { StreamingBlock } from "./blocks.js";
import { markClaims } from "./claim_marks.js";
import { fetchDocument, isLong, keepRoom, persist, showDocument, whenNear } from "./answer_parts.jsx";
import { showRemoteImage } from "./remote_image.js";

const RETRY_AFTER = 2000;
// The browser's own quick reconnections; later ones have increasing pauses, as the server is unavailable.
const QUICK_RETURNS = 3;
const LONGEST_WAIT = 30_000;
// Milliseconds of silence in a hidden page after which a stream may be dead.
const SILENT = 5000;
const LATE_FRAME = 250;

// The maximum share of the main thread for a streaming answer. After a costly frame comes a pause (up to a maximum in
// milliseconds), so that the page stays responsive with any table. Idle time of up to so many milliseconds is credited,
// so the first words are painted at once.
const PAINTING_SHARE = 0.04;
const LONGEST_PAUSE = 250;
const KEPT = 1000;
// Characters of frames that are painted without a pause: together at the end they would delay it.
const MUCH = 30_000;

// Whether a caret fits directly after the text.
const endsInALine = (root) => root.lastElementChild?.lastElementChild?.matches("p, h3, h4, h5, h6") ?? false;

const waitAfter = (losses) => Math.min(LONGEST_WAIT, RETRY_AFTER * 2 ** (losses - 1));

/** Show in `root` the answer that streams at `address`; returns a function that stops this. */
export function follow(root, { address, announced, onComplete, onText }) {
  const gone = new AbortController();
  const blocks = [];
  const waiting = [];
  const changed = new Set();
  let frame = 0;
  let late = 0;
  let pause = 0;
  let due = 0;
  let unpainted = 0;
  root.replaceChildren();

  const take = (index, kept, html, depth) => {
    if (kept === undefined) {
      for (const block of blocks.splice(index)) {
        changed.delete(block);
        block.element.remove();
      }
      return;
    }
    if (index === blocks.length) {
      const added = element("div", { className: "block", dir: "auto" });
      root.append(added);
      blocks.push(new StreamingBlock(added));
    }
    const block = blocks[index];
    block.change(kept, html);
    changed.add(block);
    if (depth !== undefined) block.settle(depth);
  };

  const paint = () => {
    cancelAnimationFrame(frame);
    clearTimeout(late);
    clearTimeout(pause);
    frame = late = pause = unpainted = 0;
    const start = performance.now();
    for (const entry of waiting.splice(0)) take(...entry);
    if (blocks.length > 0) onText();
    for (const block of changed) block.show();
    changed.clear();
    root.toggleAttribute("data-caret", endsInALine(root));
    // By then the browser has laid out and painted the change.
    setTimeout(() => {
      due = Math.min(Math.max(due, start - KEPT) + (performance.now() - start) / PAINTING_SHARE, start + LONGEST_PAUSE);
    });
    announced.goOn();
  };

  const paintSoon = () => {
    const wait = due - performance.now();
    if (wait > 0 && unpainted < MUCH) {
      pause ||= setTimeout(() => {
        pause = 0;
        paintSoon();
      }, wait);
      return;
    }
    // A background tab gets no animation frames: a timer paints there.
    frame ||= requestAnimationFrame(paint);
    late ||= setTimeout(paint, LATE_FRAME);
  };

  let source = null;
  let retry = 0;
  let asked = null;
  let losses = 0;
  let lastEventAt = performance.now();
  // Only a single source delivers the text; later events of a former source are ignored.
  const leave = () => {
    source?.close();
    asked?.abort();
    clearTimeout(retry);
  };
  const settle = () => {
    leave();
    asked = new AbortController();
    const { signal } = asked;
    fetchDocument(address, signal, 0)
      .then(async (response) => {
        signal.throwIfAborted();
        const status = response.headers.get("x-status");
        if (status === RUNNING) {
          retry = setTimeout(open, RETRY_AFTER);
          return;
        }
        await showDocument(root, address, response, gone.signal);
        finish();
        onComplete(status);
        announced.end(status);
      })
      .catch(() => {
        if (!signal.aborted) retry = setTimeout(settle, RETRY_AFTER);
      });
  };
  const open = () => {
    leave();
    const ahead = takeEarly(address);
    source = ahead?.source ?? new EventSource(`${address}/stream`);
    source.onmessage = (event) => {
      lastEventAt = performance.now();
      losses = 0;
      unpainted += event.data.length;
      waiting.push(...JSON.parse(event.data));
      // The first text is painted in the current frame.
      if (blocks.length === 0) paint();
      else paintSoon();
    };
    source.addEventListener("language", ({ data }) => setLanguage(root, data));
    source.addEventListener("end", ({ data }) => {
      // The server closes the stream. Until then, browsers report a close as a failed request.
      const ended = source;
      if (ended.readyState === EventSource.OPEN) {
        ended.onerror = () => ended.close();
        source = null;
      }
      finish();
      paint();
      arrange(root);
      onComplete(data);
      announced.end(data);
    });
    source.addEventListener("lost", settle);
    // The browser reconnects after a loss. If the connection is refused, the document has the text, or is still
    // growing.
    source.onerror = () => {
      losses += 1;
      if (source.readyState === EventSource.CLOSED) settle();
      else if (losses > QUICK_RETURNS) {
        leave();
        retry = setTimeout(open, waitAfter(losses - QUICK_RETURNS));
      }
    };
    if (!ahead) return;
    for (const event of ahead.events) source.dispatchEvent(event);
    const hasEnded = ahead.events.some(({ type }) => type === "end");
    if (!hasEnded && source.readyState === EventSource.CLOSED) source.onerror();
  };
  const begin = () => {
    lastEventAt = performance.now();
    open();
  };
  const seen = () => {
    if (document.visibilityState === "visible" && performance.now() - lastEventAt > SILENT) begin();
  };
  const deaf = [hear(window, { online: begin }), hear(document, { visibilitychange: seen })];
  const finish = () => {
    leave();
    for (const end of deaf) end();
  };
  open();
  return () => {
    gone.abort();
    finish();
    cancelAnimationFrame(frame);
    clearTimeout(late);
    clearTimeout(pause);
  };
}

// Answers that enter the page together load from the last one, where the reader is, as a browser limits parallel
// requests.
const together = [];

function lastFirst(begin) {
  together.push(begin);
  if (together.length > 1) return;
  queueMicrotask(() => {
    for (const one of together.splice(0).reverse()) one();
  });
}

function load(root, { address, characters, isExpected, onBegun, onTried, onComplete }) {
  const gone = new AbortController();
  const show = async (wanted) => {
    const response = await fetchDocument(address, wanted, isLong(characters) ? 0 : undefined);
    const status = response.headers.get("x-status");
    await showDocument(root, address, response, gone.signal);
    onComplete(status);
    if (!isExpected(status)) throw new Error("the page was told of another end");
  };
  const begin = () => {
    onBegun();
    return persist(show, gone.signal).then(onTried);
  };
  keepRoom(root, characters);
  if (isLong(characters)) {
    gone.signal.addEventListener("abort", whenNear(root, begin));
  } else lastFirst(() => gone.signal.aborted || begin());
  return () => gone.abort();
}

// Text that a spreadsheet runs as a formula, which could contact a stranger; a signed number is harmless.
const FORMULA = /^(?:[=@]|[+-](?=.)(?!\s*[\d.,]+\s*%?$))/;

// A table as tab-separated values, without controls. A formula becomes text.
function tabSeparated(table) {
  const words = (cell) => {
    const copy = cell.cloneNode(true);
    for (const control of copy.querySelectorAll("button")) control.remove();
    return copy.textContent.replace(/\s+/g, " ").trim().replace(FORMULA, "'$&");
  };
  return [...table.rows].map((row) => [...row.cells].map(words).join("\t")).join("\n");
}

export function AnswerText({ answer, onCitation, children }) {
  const { address, live, status, characters } = answer;
  const root = useRef(null);
  // The status of the answer whose whole text is shown.
  const [complete, setComplete] = useState("");
  // An answer that the reader has not come near is not loading.
  const [isBegun, setBegun] = useState(live || !isLong(characters));
  const [hasText, setHasText] = useState(false);
  const [hasGrown] = useState(live);
  // Elements below a text are shown too if the text cannot be loaded.
  const [isTried, setTried] = useState(false);
  const knownStatus = useRef(status);
  const leave = useRef(null);
  const announced = useRef(null);

  const begin = (isStreaming) => {
    leave.current?.();
    if (isStreaming) announced.current ??= announceAnswer(root.current, address);
    leave.current = (isStreaming ? follow : load)(root.current, {
      address,
      characters,
      announced: announced.current,
      isExpected: (shown) => knownStatus.current === RUNNING || knownStatus.current === shown,
      onBegun: () => setBegun(true),
      onTried: () => setTried(true),
      onComplete: (end) => {
        setComplete(end);
        tellEnd(address, end);
      },
      onText: () => setHasText(true),
    });
  };
  useLayoutEffect(() => {
    begin(live || isEarly(address));
    return () => {
      leave.current();
      announced.current?.leave();
      announced.current = null;
    };
  }, [address]);
  // An answer that seemed finished may continue and end differently.
  useEffect(() => {
    const hasChanged = knownStatus.current !== status;
    knownStatus.current = status;
    if (!complete || complete === status || (status === RUNNING && !hasChanged)) return;
    begin(status === RUNNING);
  }, [status, complete]);
  useEffect(() => markClaims(address), [address, complete]);

  const click = (event) => {
    const citation = event.target.closest("[data-use]");
    if (citation) onCitation?.(Number(citation.dataset.use));
    showRemoteImage(event, address);
    const wrap = event.target.closest(".wrap-code");
    if (wrap) {
      // A growing answer compares its updates with the original button.
      wrap.sentAs ??= wrap.cloneNode(true);
      wrap.ariaPressed = String(wrap.ariaPressed !== "true");
    }
    const copy = event.target.closest("[data-copy]");
    if (!copy) return;
    const isTable = copy.dataset.copy === "table";
    const text = isTable
      ? tabSeparated(copy.parentElement.querySelector("table"))
      : copy.closest(".code-block").querySelector("code").textContent;
    navigator.clipboard
      .writeText(text)
      .then(() => announce(isTable ? t("Table copied.") : t("Code copied.")))
      .catch(() => announce(t("The browser blocked copying.")));
  };

  // With a CSS sibling rule instead of the class, browsers would recompute all styles of the answer.
  return (
    <>
      <div
        ref={root}
        className="answer-text"
        data-address={address}
        data-status={complete || undefined}
        data-grown={hasGrown || undefined}
        data-to-come={(!live && !complete && !isTried) || undefined}
        aria-busy={(isBegun && !complete) || undefined}
        onClick={click}
      />
      {live && (
        <p className={`working${hasText ? " is-writing" : ""}${answer.sources ? " is-over" : ""}`}>{children}</p>
      )}
    </>
  );
}
