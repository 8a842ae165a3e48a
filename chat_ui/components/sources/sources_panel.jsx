// The region beside the conversation: the list of sources, and the document of one of them when it is opened. It takes
// the focus when it opens and gives it back when it closes; Escape goes one step back. Its width is the reader's, and on a
// small screen, where it is a sheet under the cited sentence, its height.

import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { announce } from "../speech/announcer.jsx";
import { markClaim } from "./claims.js";
import { DocumentView } from "./document_view.jsx";
import { rememberOpener } from "../shared/focus.js";
import { Fragment } from "./fragment.jsx";
import { markPassages } from "../speech/languages.js";
import { fetched, untilLoaded, wordsFor } from "../shared/loading.js";
import { NARROW, Scrim, useSheet } from "../shared/sheet.jsx";

const WIDTH = "chat-ui-sources-width";
const LEAST = 20;
const MOST = 75;
const STEP = 5;
// Pixels by which the handle of the sheet is pulled before it counts.
const PULLED = 40;
const OWN = "a, button, input, summary, [data-view]";

// The document that the button of a source opens.
function documentOf(item) {
  const button = item?.querySelector("[data-document]");
  if (!button) return null;
  const passage = item.querySelector(".passage");
  const marks = [...(passage?.querySelectorAll("mark") ?? [])];
  return {
    source: item.dataset.source,
    number: button.dataset.document,
    kind: button.dataset.kind,
    name: button.dataset.name,
    title: button.dataset.title,
    line: button.dataset.line,
    page: Number(button.dataset.page) || null,
    sentences: (marks.length ? marks : passage ? [passage] : []).map((element) => element.textContent),
    passage: passage?.outerHTML ?? "",
  };
}

// In a right-to-left page the panel stands on the left.
const isMirrored = (element) => getComputedStyle(element).direction === "rtl";

// The button that a press on a source means: its own, wherever no other control and no selected text is pressed.
function openerAt({ target }) {
  const card = target.closest(".sources > li");
  const isOther = target.closest(OWN) || !getSelection().isCollapsed;
  return target.closest("[data-document]") ?? (isOther ? null : card?.querySelector("[data-document]"));
}

// The question above the answer at this address.
function questionOf(address) {
  const text = document.querySelector(`.answer-text[data-address="${CSS.escape(address)}"]`);
  const question = text?.closest("article")?.previousElementSibling;
  return question?.querySelector(".question-text")?.textContent ?? "";
}

// Brings what is cited into what a sheet leaves of the thread.
function keepInSight(cited, sheet) {
  const thread = document.querySelector(".thread");
  if (!cited || !thread || !matchMedia(NARROW).matches) return;
  const at = cited.getBoundingClientRect();
  const top = thread.getBoundingClientRect().top;
  if (at.top >= top && at.bottom <= sheet.getBoundingClientRect().top) return;
  thread.scrollTop += at.top - top - 16;
}

/** What a sheet is pulled up and down by; `onClose` is for one that is pulled down twice. */
function Handle({ isFull, setFull, onClose }) {
  const from = useRef(0);
  const pulled = (event) => {
    const by = event.clientY - from.current;
    if (Math.abs(by) < PULLED) setFull(!isFull);
    else if (by < 0) setFull(true);
    else if (isFull) setFull(false);
    else onClose?.();
  };
  return (
    <button
      type="button"
      className="sheet-handle"
      aria-label="Full height"
      aria-pressed={isFull}
      onPointerDown={(event) => {
        from.current = event.clientY;
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerUp={pulled}
      onClick={({ detail }) => detail === 0 && setFull(!isFull)}
    />
  );
}

export function SourcesPanel({ address, earlier, onClose, children }) {
  const region = useRef(null);
  const [isFull, setFull] = useState(false);
  const [question, setQuestion] = useState("");
  const [opened, setOpened] = useState(null);
  const view = useRef(null);
  const [viewed, setViewed] = useState(null);
  const [width, setWidth] = useState(null);
  const answer = address.split("/sources")[0];
  const asked = new URLSearchParams(address.split("?")[1]).get("use");
  const use = asked === null ? null : Number(asked);

  const takeFocus = () => {
    rememberOpener(region.current);
    region.current.focus({ preventScroll: true });
  };
  useLayoutEffect(() => {
    takeFocus();
    keepInSight(markClaim(answer, use), region.current);
  }, [address]);
  useLayoutEffect(() => setQuestion(earlier ? questionOf(answer) : ""), [answer, earlier]);
  useSheet(region);
  // The address of another citation comes from the server: a key that is pressed meanwhile is for Sources too.
  useEffect(() => {
    const cited = ({ target }) => target.closest(".answer-text [data-use]") && takeFocus();
    document.addEventListener("click", cited);
    return () => document.removeEventListener("click", cited);
  }, []);

  useEffect(() => setWidth(Number(localStorage.getItem(WIDTH)) || null), []);
  useEffect(() => {
    if (width) localStorage.setItem(WIDTH, width);
  }, [width]);

  useEffect(
    () => () => {
      markClaim("", null);
    },
    [],
  );

  // Another citation while a document is open shows its own document, or the list where it has none. A list that is only
  // renewed leaves the document open.
  const listed = useCallback(
    (root, isRenewed) => {
      const active = root.querySelector("[data-active]");
      if (!isRenewed) setOpened((before) => (before && active ? documentOf(active) : before));
      keepInSight(markClaim(answer, use, active?.dataset.claim), region.current);
    },
    [answer, use],
  );
  useEffect(() => setOpened(null), [answer]);
  // Scrolling to the active source had no effect while the list was hidden.
  useEffect(() => {
    if (!opened) region.current.querySelector("[data-active]")?.scrollIntoView({ block: "nearest" });
  }, [opened]);

  const back = () => {
    const opener = `[data-source="${opened.source}"] [data-document]`;
    setOpened(null);
    requestAnimationFrame(() => region.current?.querySelector(opener)?.focus());
  };
  const key = (event) => {
    if (event.key !== "Escape") return;
    event.stopPropagation();
    if (opened) back();
    else onClose?.();
  };
  const unfold = (button) => {
    if (button.ariaBusy) return;
    button.ariaBusy = "true";
    const load = async (signal) => {
      const html = await (
        await fetched(address.replace("/sources", `/passages/${button.dataset.unfold}`), signal)
      ).text();
      const item = button.closest("li");
      if (!button.isConnected || !item) return;
      button.closest(".folded").outerHTML = html;
      markPassages(item);
      item.tabIndex = -1;
      item.focus({ preventScroll: true });
    };
    untilLoaded(load, (failures, isLast) => {
      announce(wordsFor(failures, isLast));
      if (isLast) button.ariaBusy = null;
    });
  };
  const click = (event) => {
    const image = event.target.closest("[data-view]")?.querySelector("img");
    if (image) {
      setViewed({ src: image.src, alt: image.alt });
      requestAnimationFrame(() => view.current?.showModal());
    }
    const folded = event.target.closest("[data-unfold]");
    if (folded) unfold(folded);
    const opener = openerAt(event);
    if (opener) setOpened(documentOf(opener.closest("li")));
  };

  const isWide = width ?? (opened ? 50 : 32);
  const resize = (percent) => setWidth(Math.round(Math.max(LEAST, Math.min(MOST, percent))));
  const resizeKey = (event) => {
    const towards = { ArrowLeft: STEP, ArrowRight: -STEP }[event.key];
    if (towards) resize(isWide + (isMirrored(event.target) ? -towards : towards));
    else if (event.key === "Home") resize(LEAST);
    else if (event.key === "End") resize(MOST);
    else return;
    event.preventDefault();
  };
  const drag = (event) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const across = isMirrored(event.target) ? event.clientX : innerWidth - event.clientX;
    resize((100 * across) / innerWidth);
  };

  return (
    <>
      <Scrim onClose={onClose} />
      <section
        ref={region}
        className={opened ? "sources-panel sources-panel-document" : "sources-panel"}
        aria-label="Sources"
        data-full={isFull}
        tabIndex={-1}
        style={/** @type {object} */ ({ "--sources-width": `${isWide}vw` })}
        onKeyDown={key}
      >
        <div
          className="sources-resizer"
          role="separator"
          aria-orientation="vertical"
          aria-label="Width of sources"
          aria-valuenow={Math.round(isWide)}
          aria-valuemin={LEAST}
          aria-valuemax={MOST}
          tabIndex={0}
          onKeyDown={resizeKey}
          onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
          onPointerMove={drag}
        />
        <Handle isFull={isFull} setFull={setFull} onClose={onClose} />
        {children}
        {question && !opened && (
          <p className="sources-of" dir="auto">
            {question}
          </p>
        )}
        <div hidden={Boolean(opened)} onClick={click}>
          <Fragment address={address} onShown={listed} />
        </div>
        {viewed && (
          <dialog
            ref={view}
            className="image-view"
            aria-label={viewed.alt || "Image"}
            onKeyDown={(event) => event.stopPropagation()}
            onClose={() => setViewed(null)}
            onClick={() => view.current.close()}
          >
            <img src={viewed.src} alt={viewed.alt} />
            <button type="button" className="button" autoFocus>
              Close the image
            </button>
          </dialog>
        )}
        {opened && (
          <DocumentView address={`${answer}/documents/${opened.number}`} {...opened} onBack={back} onClose={onClose} />
        )}
      </section>
    </>
  );
}
