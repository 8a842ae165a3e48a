// The scrolling list of turns. It is laid out from its end (`column-reverse`): the end of a long conversation loads
// first, and earlier turns, added by scrolling up, move nothing. A new question goes to the top of the view, and its
// answer grows below it. Space below a short answer makes this the end of the list.

import { ArrowDown } from "lucide-react";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { t } from "../languages/language.js";
import { hear } from "../shared/hearing.js";
import { IconButton } from "../shared/button.jsx";
import { announce } from "../announcing/announcer.jsx";
import { bringAll, isAllThere } from "./answer_parts.jsx";
import { selectSign } from "./copied_sign.js";
import { usePending } from "../asking/pending_questions.js";

const NEAR = 3;
// Pixels from the end with a button that leads there.
const FAR = 200;
// The maximum share of the view for a question above its answer.
const QUESTION = 0.4;
const AHEAD = 1500;
// Milliseconds until a repeated request of earlier turns, as an event may be lost.
const ASK_AGAIN = 5000;

// Relative to the end: 0 there, negative above it.
const isAway = (view, pixels = NEAR) => view.scrollTop < -pixels;

// A reader at the very beginning stays there while added turns change its distance.
function keepBeginning(view) {
  let isThere = false;
  let at = 0;
  const note = () => (at = view.scrollTop);
  const go = () => {
    view.scrollTop = -view.scrollHeight;
    // Content that is shown whole is also at its end.
    isThere = isAway(view);
    note();
  };
  const isAtBeginning = () => view.scrollHeight - view.clientHeight + view.scrollTop < NEAR;
  // Content that is smaller than its reserved space also moves the view towards the end.
  const hasLeft = () => view.scrollTop > at + NEAR && !isAtBeginning();
  const scrolled = () => {
    if (isAway(view) && isAtBeginning()) {
      isThere = true;
      note();
    } else if (hasLeft()) isThere = false;
  };
  const key = (event) => {
    if (event.key !== "Home" || event.target !== view) return;
    event.preventDefault();
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

/** The place of `question` while its answer grows, in pixels from the top of `view`. */
export function placeOf(view, question) {
  const padding = parseFloat(getComputedStyle(view.firstElementChild).paddingTop);
  return Math.min(padding, QUESTION * view.clientHeight - question.offsetHeight);
}

// Keeps the reader's position while the last answer grows. The question of a new answer stays at the top of the view
// until the reader scrolls. Browsers keep a position further up, with exceptions.
function keepPlace(view, answer, isNew) {
  const question = answer.previousElementSibling;
  const padding = getComputedStyle(view.firstElementChild);
  let isHeld = isNew;
  let at = 0;
  let under = 0;
  let height = answer.offsetHeight;
  const top = () => placeOf(view, question);
  const shift = () => question.getBoundingClientRect().top - view.getBoundingClientRect().top - top();
  // Questions that wait below the answer are gone once they are sent, which moves a view at its end.
  const below = () => view.scrollHeight - answer.offsetTop - answer.offsetHeight;
  const keep = () => {
    // Presentation mode hides it for an earlier one.
    if (!answer.offsetHeight) return;
    const moved = view.scrollTop - at;
    isHeld &&= [moved, moved + below() - under, shift()].some((pixels) => Math.abs(pixels) < NEAR);
    if (isNew) {
      const rest =
        view.clientHeight - top() - (answer.offsetTop - question.offsetTop) - parseFloat(padding.paddingBottom);
      answer.style.minHeight = `${Math.max(0, rest)}px`;
    }
    const more = answer.offsetHeight - height;
    height += more;
    if (isHeld) view.scrollTop += shift();
    else if (isAway(view) && !CSS.supports("overflow-anchor", "auto")) view.scrollTop -= more;
    at = view.scrollTop;
    under = below();
  };
  keep();
  const changed = new ResizeObserver(keep);
  // A sheet adds space below the content.
  const parts = [view, view.firstElementChild, question, answer];
  for (const part of parts) changed.observe(part, { box: "border-box" });
  return () => {
    changed.disconnect();
    answer.style.minHeight = "";
  };
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
  const asked = useRef(null);
  const [away, setAway] = useState(false);
  const requested = useRef({ before: undefined, at: 0 });
  const more = useRef(() => {});

  more.current = () => {
    const { scrollTop, scrollHeight, clientHeight } = view.current;
    if (!earlier || !isAway(view.current)) return;
    if (scrollHeight - clientHeight + scrollTop > AHEAD) return;
    const now = performance.now();
    if (requested.current.before === first && now - requested.current.at < ASK_AGAIN) return;
    requested.current = { before: first, at: now };
    onEarlier?.();
  };
  useEffect(() => more.current(), [first, busy]);

  useEffect(() => {
    const scrolled = () => {
      setAway(isAway(view.current, FAR));
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

  const isSent = usePending().length > 0;
  useLayoutEffect(() => {
    view.current.scrollTop = 0;
    const answer = [...content.current.querySelectorAll(":scope > .answer")].at(-1);
    if (!answer) return undefined;
    // Another version of a question that was asked here, or of its answer, does not move the question.
    const { pathname } = location;
    const above = answer.previousElementSibling.previousElementSibling;
    const { current: former } = asked;
    const isVersion = answer === former?.answer || (above === former?.above && pathname === former.pathname);
    // A decision continues the answer above it.
    const continues = answer.previousElementSibling.matches(".question-decision");
    const isNew = !continues && (answering || isSent || isVersion);
    asked.current = isNew ? { answer, above, pathname } : null;
    return keepPlace(view.current, answer, isNew);
  }, [latest]);

  const toLatest = () => (view.current.scrollTop = 0);
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
        <div className="to-latest">
          <IconButton label={t("Jump to latest")} sign={ArrowDown} size={18} onClick={toLatest} />
        </div>
      )}
    </div>
  );
}
