// The scrolling list of turns. It is laid out from its end (`column-reverse`), so the browser follows a streaming
// answer without a script or a second frame. It also keeps the position of a reader further up. The end of a long
// conversation loads first; scrolling up adds earlier turns, which move nothing.

import { useEffect, useRef, useState } from "react";
import { t } from "../languages/language.js";
import { hear } from "../shared/hearing.js";
import { announce } from "../announcing/announcer.jsx";
import { bringAll, isAllThere } from "./answer_parts.jsx";
import { selectSign } from "./copied_sign.js";
import { usePending } from "../asking/pending_questions.js";

const NEAR = 3;
const AHEAD = 1500;
// Milliseconds until a repeated request of earlier turns, as an event may be lost.
const ASK_AGAIN = 5000;

// Relative to the end: 0 there, negative above it.
const isAway = (view) => view.scrollTop < -NEAR;

// A reader at the very beginning stays there while added turns change its distance.
function keepBeginning(view) {
  let isThere = false;
  let at = 0;
  let height = 0;
  const note = () => {
    at = view.scrollTop;
    height = view.scrollHeight;
  };
  const go = () => {
    view.scrollTop = -view.scrollHeight;
    note();
  };
  const isAtBeginning = () => isAway(view) && view.scrollHeight - view.clientHeight + view.scrollTop < NEAR;
  // Content that is smaller than its reserved space also moves the view towards the end.
  const hasLeft = () => view.scrollTop > at + NEAR && view.scrollHeight >= height;
  const scrolled = () => {
    if (isAtBeginning()) {
      isThere = true;
      note();
    } else if (hasLeft()) isThere = false;
  };
  const key = (event) => {
    if (event.key !== "Home" || event.target !== view) return;
    event.preventDefault();
    isThere = true;
    go();
  };
  const grown = new ResizeObserver(() => {
    if (isThere && !hasLeft() && !view.querySelector(".earlier")) go();
  });
  const leave = hear(view, { keydown: key, scroll: scrolled });
  grown.observe(view.firstElementChild);
  return () => {
    leave();
    grown.disconnect();
  };
}

// Keeps the reader's position while content below it grows, in browsers that do not.
function keepPlace(view, streaming) {
  let height = streaming.offsetHeight;
  const grown = new ResizeObserver(() => {
    const more = streaming.offsetHeight - height;
    height += more;
    if (isAway(view)) view.scrollTop -= more;
  });
  grown.observe(streaming);
  return () => grown.disconnect();
}

// The browser searches and prints only loaded content.
function bringForComplete(event) {
  const isCommand = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
  if ((isCommand && event.key === "f") || event.key === "F3") bringAll();
  if (!isCommand || event.key !== "p" || isAllThere()) return;
  event.preventDefault();
  announce(t("Loading the rest of the answers, then printing."));
  bringAll().then(() => window.print());
}

// Paper has the title and the day above the conversation.
function nameForPaper() {
  const [columns, main] = /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll(".columns, .main"));
  columns.dataset.printed = document.title;
  main.dataset.printed = new Date().toLocaleDateString(document.documentElement.lang, { dateStyle: "long" });
}

export function Thread({ label, busy, answering, latest, first, earlier, onEarlier, children }) {
  const view = useRef(null);
  const content = useRef(null);
  const [away, setAway] = useState(false);
  const asked = useRef({ before: undefined, at: 0 });
  const more = useRef(() => {});

  more.current = () => {
    const { scrollTop, scrollHeight, clientHeight } = view.current;
    if (!earlier || !isAway(view.current)) return;
    if (scrollHeight - clientHeight + scrollTop > AHEAD) return;
    const now = performance.now();
    if (asked.current.before === first && now - asked.current.at < ASK_AGAIN) return;
    asked.current = { before: first, at: now };
    onEarlier?.();
  };
  useEffect(() => more.current(), [first, busy]);

  useEffect(() => {
    const scrolled = () => {
      setAway(isAway(view.current));
      more.current();
    };
    return hear(view.current, { scroll: scrolled });
  }, []);

  useEffect(() => keepBeginning(view.current), []);

  // Of several threads, the first one handles it.
  useEffect(() => {
    const key = (event) => event.defaultPrevented || bringForComplete(event);
    return hear(window, { keydown: key, beforeprint: nameForPaper });
  }, []);
  useEffect(() => hear(document, { copy: selectSign }), []);

  useEffect(() => {
    view.current.scrollTop = 0;
    const streaming = content.current.lastElementChild;
    if (streaming && !CSS.supports("overflow-anchor", "auto")) return keepPlace(view.current, streaming);
  }, [latest]);

  const sent = usePending().at(-1)?.sentAt;
  useEffect(() => {
    if (sent) view.current.scrollTop = 0;
  }, [sent]);

  return (
    <div className="thread-frame">
      <div
        ref={view}
        className="thread"
        role="log"
        aria-label={label || t("Conversation")}
        aria-live="off"
        aria-busy={busy}
        data-answering={answering}
        tabIndex={0}
      >
        <div ref={content} className="thread-content">
          {earlier && <p className="earlier">{t("Earlier questions load as you scroll up.")}</p>}
          {children}
        </div>
      </div>
      {away && (
        <button
          type="button"
          className="to-latest"
          onClick={() => {
            setAway(false);
            view.current.scrollTo({
              top: 0,
              behavior: matchMedia("(prefers-reduced-motion: reduce)").matches ? "instant" : "smooth",
            });
          }}
        >
          {t("Jump to latest")}
        </button>
      )}
    </div>
  );
}
