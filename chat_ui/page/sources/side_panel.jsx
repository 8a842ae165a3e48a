// The panel beside the conversation, with tabs about an answer. It takes the focus when it opens and returns it when it
// closes; Escape goes back a step. Its width is adjustable, and on a small screen, where it is a sheet, its height.

import { X } from "lucide-react";
import { createContext, useContext, useEffect, useLayoutEffect, useRef, useState } from "react";
import { rich, t } from "../languages/language.js";
import { useBackStep } from "../shared/back_steps.js";
import { FLICK, down, isFarAway, useDragging } from "../shared/dragging.js";
import { rememberOpener } from "../shared/focus.js";
import { hear, pressed } from "../shared/hearing.js";
import { isNarrow } from "../shared/narrow.js";
import { IconButton } from "../shared/button.jsx";
import { Scrim, useSheet } from "../shared/sheet.jsx";
import { Tabs, isMirrored } from "../shared/tabs.jsx";

const WIDTH = "chat-ui-sources-width";
const LEAST = 20;
const MOST = 75;
const STEP = 5;
// The widths that a press on the edge cycles through.
const WIDTHS = [32, 50, MOST];
const MOVED = 4;
// Pixels that the conversation keeps beside panel and list.
const LEAST_CHAT = 360;
// Pixels of a pull that change a sheet's height, and the part of its full height that closes it.
const PULLED = 40;
const MOST_OF_IT = 0.6;
const titleOf = (tab) => (tab === "sources" ? t("Sources") : t("Thoughts"));

const Frame = createContext({ setBack: (_back) => {} });

/** Make the panel around a component wider, and have its Escape and Back call `back`, unless it is null. */
export function useStep(back) {
  const { setBack } = useContext(Frame);
  const latest = useRef(back);
  latest.current = back;
  const isIn = back !== null;
  useBackStep(isIn, back);
  useLayoutEffect(() => {
    if (!isIn) return undefined;
    setBack(() => () => latest.current?.());
    return () => setBack(null);
  }, [isIn]);
}

const bounded = (percent) => Math.round(Math.max(LEAST, Math.min(MOST, percent)));

function Resizer({ percent, label, onResize }) {
  const pressedAt = useRef(0);
  const resize = (wanted) => onResize(bounded(wanted));
  const key = (event) => {
    const towards = { ArrowLeft: STEP, ArrowRight: -STEP }[event.key];
    if (towards) resize(percent + (isMirrored(event.target) ? -towards : towards));
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
    <div
      className="panel-resizer"
      role="separator"
      aria-orientation="vertical"
      aria-label={label}
      aria-valuenow={Math.round(percent)}
      aria-valuemin={LEAST}
      aria-valuemax={MOST}
      tabIndex={0}
      onKeyDown={key}
      onPointerDown={(event) => {
        event.currentTarget.setPointerCapture(event.pointerId);
        pressedAt.current = event.clientX;
      }}
      onPointerMove={drag}
      onClick={({ clientX }) =>
        Math.abs(clientX - pressedAt.current) < MOVED && resize(WIDTHS.find((wider) => wider > percent) ?? WIDTHS[0])
      }
    />
  );
}

/** A sheet that is pulled between full height, its default height, and closed. */
function usePulls(region, isFull, setFull, onClose) {
  useDragging(region, ".panel-head, .document-bar", down, (pulled) => {
    const isQuick = Math.abs(pulled.speed) > FLICK;
    if (isFull ? pulled.part > MOST_OF_IT : isFarAway(pulled)) return onClose;
    if (isQuick || Math.abs(pulled.by) > PULLED) setFull(pulled.by < 0);
    return null;
  });
}

/**
 * @typedef {{ address: string, sources: number }} Answer
 * @param {{ tab: "sources" | "thoughts", answer: string, address: string,
 *   turns: { answer: Answer, question: string }[], latest: Answer, thoughts: boolean, onTab: (tab: string) => void,
 *   onClose: () => void, onCrowded: () => void, children: import("react").ReactNode }} props
 */
export function SidePanel({ tab, answer, address, turns, latest, thoughts, onTab, onClose, onCrowded, children }) {
  const region = useRef(null);
  const [back, setBack] = useState(null);
  const [width, setWidth] = useState(null);
  const [isFull, setFull] = useState(false);
  const title = titleOf(tab);
  // During an answer, only the latest one changes.
  const sources = [...turns.map((turn) => turn.answer), latest].findLast((one) => one.address === answer)?.sources;
  const question = latest.address !== answer && turns.findLast((turn) => turn.answer.address === answer)?.question;
  const count = sources > 0 && (
    <span className="panel-tab-count" aria-hidden="true">
      {sources}
    </span>
  );
  const tabs = [
    ...(sources || tab === "sources" ? [{ name: "sources", label: t("Sources"), content: count }] : []),
    ...(thoughts || tab === "thoughts" ? [{ name: "thoughts", label: t("Thoughts") }] : []),
  ];

  const takeFocus = () => {
    rememberOpener(region.current);
    region.current.focus({ preventScroll: true });
  };
  useLayoutEffect(() => {
    // A reader who moves between tabs keeps the focus there.
    if (!region.current.querySelector("[role=tablist]").contains(document.activeElement)) takeFocus();
  }, [address]);
  useSheet(region, onClose);
  usePulls(region, isFull, setFull, onClose);
  // The address of another citation comes from the server: the panel also takes keys pressed meanwhile.
  useEffect(() => {
    const cited = ({ target }) => target.closest(".answer-text [data-use]") && takeFocus();
    return hear(document, { click: cited });
  }, []);
  useLayoutEffect(() => {
    region.current.scrollTop = 0;
  }, [tab]);

  useEffect(() => {
    const kept = Number(localStorage.getItem(WIDTH));
    setWidth(kept ? bounded(kept) : null);
  }, []);
  useEffect(() => {
    if (width) localStorage.setItem(WIDTH, width);
  }, [width]);

  const key = (event) => {
    if (!pressed(event, "Escape")) return;
    event.stopPropagation();
    if (back) back();
    else onClose();
  };
  // A document opens at full height.
  useLayoutEffect(() => setFull(back !== null), [back !== null]);
  const percent = width ?? (back ? 50 : 32);
  useEffect(() => {
    const list = /** @type {HTMLElement | null} */ (document.querySelector(".conversation-list"));
    const rest = innerWidth * (1 - percent / 100) - LEAST_CHAT;
    if (list && !isNarrow() && list.offsetWidth > rest) onCrowded?.();
  }, [percent]);

  return (
    <>
      <Scrim onClose={onClose} />
      <section
        ref={region}
        className={back ? "side-panel side-panel-inner" : "side-panel"}
        role={tab === "thoughts" ? "dialog" : "region"}
        aria-label={title}
        data-full={isFull}
        tabIndex={-1}
        style={/** @type {object} */ ({ "--panel-width": `${percent}vw` })}
        onKeyDown={key}
      >
        <Resizer
          percent={percent}
          label={tab === "sources" ? t("Width of sources") : t("Width of thoughts")}
          onResize={setWidth}
        />
        <div className="panel-head">
          <button
            type="button"
            className="sheet-handle"
            aria-label={t("Full height")}
            aria-pressed={isFull}
            onClick={() => setFull(!isFull)}
          />
          <Tabs
            prefix="panel"
            label={t("About the answer")}
            tabs={tabs}
            chosen={tab}
            panelOf={() => "panel-content"}
            onTab={onTab}
          />
          <IconButton
            label={tab === "sources" ? t("Close sources") : t("Close thoughts")}
            title={t("Close")}
            onClick={() => onClose()}
            sign={X}
            size={18}
          />
        </div>
        <div id="panel-content" className="panel-content" role="tabpanel" aria-labelledby={`panel-tab-${tab}`}>
          <h2 className="visually-hidden">{title}</h2>
          {question && !back && (
            <p className="panel-question">{rich("Answer to “{question}”", { question: <bdi>{question}</bdi> })}</p>
          )}
          <Frame value={{ setBack }}>{children}</Frame>
        </div>
      </section>
    </>
  );
}
