// Presentation mode: a question and its large answer, with the opened part beside it; keys of a clicker, and buttons
// that appear with the pointer.

import { ChevronLeft, ChevronRight, EyeOff, Maximize, Moon, NotebookText, Sun, X } from "lucide-react";
import { useContext, useEffect, useLayoutEffect, useRef, useState } from "react";
import { useNavigate } from "react-router";
import { ColorModeContext } from "$/utils/context";
import { SHORTCUTS, isOn, matches } from "../../../page/commands/shortcuts.js";
import { t } from "../../../page/languages/language.js";
import { hear, composes } from "../../../page/shared/hearing.js";
import { IconButton } from "../../../page/shared/button.jsx";
import { fillScreen, hearLeaving, openNotes } from "./full_screen.js";
import { useGivenScript } from "./given_script.js";
import { heldKeys, holdKey } from "./held_keys.js";
import { keepPresenterInformed } from "./presenter.js";
import { change, presentation, usePresentation } from "./presentation.js";
import { back, blank, giveDraftBack, inform, next, setDraftAside, stop } from "./steps.js";

const STEPS = ["PageDown", "PageUp"];
const FIELDS = "input, textarea, [contenteditable]";
// Milliseconds that the buttons and the pointer stay visible.
const IN_SIGHT = 3000;
const root = () => document.documentElement;

// The former position in the conversation and the focus. They outlast the component, which is rendered again at another
// address.
let before = { answer: "", top: 0, focus: /** @type {HTMLElement | null} */ (null) };

function useWayBack(answer) {
  const shown = useRef(answer);
  shown.current = answer;
  useLayoutEffect(() => {
    const thread = document.querySelector(".thread");
    if (!root().hasAttribute("data-presenting")) {
      before = { answer, top: thread?.scrollTop, focus: /** @type {HTMLElement} */ (document.activeElement) };
    }
    root().toggleAttribute("data-presenting", true);
    // Letters are shortcuts here, unless the person focuses the box.
    /** @type {HTMLElement | null} */ (thread)?.focus({ preventScroll: true });
    return () => {
      if (presentation().isOn) return;
      root().removeAttribute("data-presenting");
      const now = document.querySelector(".thread");
      if (now) now.scrollTop = before.answer === shown.current ? before.top : 0;
      const { focus } = before;
      giveDraftBack();
      if (focus?.isConnected && focus !== document.body) focus.focus({ preventScroll: true });
    };
  }, []);
}

/** The action of a key, if any. */
function actOf(event, hasScript) {
  const { key, target, altKey, ctrlKey, metaKey } = event;
  if (isOn("present") && matches(event, SHORTCUTS.present)) return stop;
  if (altKey || ctrlKey || metaKey) return undefined;
  if (key === "Escape") return stop;
  // The start button of a clicker would reload the page.
  if (key === "F5") return () => {};
  // Elements behind a blank page must not take the focus.
  if (key === "Tab" && presentation().isBlank) return () => {};
  if (hasScript && key === "PageDown") return next;
  if (hasScript && key === "PageUp") return back;
  if (["b", "B", "."].includes(key) && !target.closest?.(FIELDS)) return blank;
  return undefined;
}

function useKeys(hasScript, isScriptComing, onAct) {
  useEffect(() => {
    const pressed = (event) => {
      const isEarly = isScriptComing && STEPS.includes(event.key);
      const act = composes(event) ? undefined : isEarly ? () => holdKey(event) : actOf(event, hasScript);
      if (!act) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      if (event.repeat) return;
      onAct();
      act();
    };
    for (const event of heldKeys()) pressed(event);
    // Before any other listener of the page.
    return hear(window, { keydown: pressed }, { capture: true });
  }, [hasScript, isScriptComing]);
}

// While the page is blank, the focus is on its unblank button.
function useBlank(isBlank) {
  useLayoutEffect(() => {
    root().toggleAttribute("data-blank", isBlank);
    /** @type {HTMLElement | null} */
    const to = document.querySelector(isBlank ? ".presentation-blank" : ".thread");
    if (isBlank || document.activeElement === document.body) to?.focus({ preventScroll: true });
    return () => root().removeAttribute("data-blank");
  }, [isBlank]);
}

// The pointer and the buttons are visible while the pointer moves.
function usePointer() {
  useEffect(() => {
    let still = 0;
    const rest = () => root().removeAttribute("data-pointer");
    const moved = () => {
      root().toggleAttribute("data-pointer", true);
      clearTimeout(still);
      still = setTimeout(rest, IN_SIGHT);
    };
    const leave = hear(document, { pointermove: moved, pointerdown: moved });
    return () => {
      clearTimeout(still);
      rest();
      leave();
    };
  }, []);
}

// Hides all turns except the one at this place, and that one too if missing (-1), unless a question is queued. The
// newest turn does not need a separate rule.
function Others({ place }) {
  const all = `[data-presenting] .thread-content${place < 0 ? ":not(:has(.question-waiting))" : ""} > article`;
  const shown = `:is(:nth-of-type(${2 * place + 1}), :nth-of-type(${2 * place + 2}))`;
  return (
    <style>
      {`${all}${place < 0 ? "" : `:not(${shown})`} { display: none !important; }
        ${place < 0 ? "" : `${all}${shown} { display: revert !important; }`}`}
    </style>
  );
}

const tool = (label, sign, onClick, more = {}) => (
  <IconButton label={label} sign={sign} size={20} onClick={onClick} {...more} />
);

// A pressed button would keep the focus, and so stay visible.
const leaveFocusOnPresentation = ({ detail }) =>
  detail > 0 && /** @type {HTMLElement | null} */ (document.querySelector(".thread"))?.focus({ preventScroll: true });

/** @param {typeof import("./known_page.js").page & Record<"pages" | "title" | "scripts" | "notes", string>} props */
export function PresentationView({ pages, title, scripts, notes, ...known }) {
  const { turns, latest } = known;
  const { steps, at, turns: turnIds, asked, conversation, isApart, isBlank, id } = usePresentation();
  const { resolvedColorMode, setColorMode } = useContext(ColorModeContext);
  const navigate = useNavigate();
  const [problem, setProblem] = useState("");
  const isScriptComing = useGivenScript(scripts);
  const place = turns.findIndex((turn) => turn.id === turnIds[at]);
  const isOfStep = !isApart && Boolean(turnIds[at]) && turns[0]?.conversation === conversation;
  const isLaterAsked = asked !== null && asked.step !== at;
  const isEarlier = isOfStep && (place < turns.length - 1 || isLaterAsked);
  const hasScript = steps.length > 0;
  const isAtEnd = at >= steps.length - 1 && Boolean(turnIds[at]) && asked === null;
  const isDark = resolvedColorMode === "dark";

  useWayBack(latest.id);
  useKeys(hasScript, isScriptComing, () => setProblem(""));
  usePointer();
  useBlank(isBlank);
  useEffect(() => hearLeaving(stop), []);
  useEffect(() => keepPresenterInformed(), []);
  useLayoutEffect(() => {
    root().toggleAttribute("data-script", hasScript);
    if (hasScript) setDraftAside();
    return () => root().removeAttribute("data-script");
  }, [hasScript]);
  useEffect(() => inform({ ...known, goTo: (there) => navigate(`${pages}/${there}`) }));
  // Each answer is shown from its beginning.
  useLayoutEffect(() => {
    const thread = document.querySelector(".thread");
    if (thread) thread.scrollTop = -thread.scrollHeight;
  }, [isEarlier, place]);

  return (
    <section className="stage" aria-label={t("Presentation")}>
      <h1 className="visually-hidden" dir="auto">
        {title}
      </h1>
      {isEarlier && <Others place={place} />}
      <div role="alert">
        {problem && <p className="presentation-problem screen-only callout callout-error">{problem}</p>}
      </div>
      <div className="presentation-tools screen-only" onClick={leaveFocusOnPresentation}>
        {hasScript && (
          <>
            {tool(t("One step back"), ChevronLeft, back)}
            {tool(isAtEnd ? t("End of the script") : t("Next step"), ChevronRight, next, { "aria-disabled": isAtEnd })}
            {tool(t("Presenter's window"), NotebookText, () => setProblem(openNotes(`${notes}#${id}`)))}
          </>
        )}
        {tool(t("Blank"), EyeOff, blank, { "aria-pressed": isBlank })}
        {isDark
          ? tool(t("Light colour theme"), Sun, () => setColorMode("light"))
          : tool(t("Dark colour theme"), Moon, () => setColorMode("dark"))}
        {tool(t("Full screen"), Maximize, fillScreen, { className: "fill-screen" })}
        {tool(t("End presentation"), X, stop)}
      </div>
      {isBlank && (
        <button
          type="button"
          className="presentation-blank screen-only"
          aria-label={t("Show the page again")}
          onClick={() => change({ isBlank: false })}
        />
      )}
    </section>
  );
}
