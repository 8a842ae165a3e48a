// Choices below two columns: the better of the last two answers, and their differences, which load on request and are
// a sheet on a narrow screen.

import { Diff, Table2, X } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { t, tn } from "../../../page/languages/language.js";
import { Fragment } from "../../../page/sources/fragment.jsx";
import { announce } from "../../../page/announcing/announcer.jsx";
import { Button, IconButton } from "../../../page/shared/button.jsx";
import { down, isFarAway, useDragging } from "../../../page/shared/dragging.js";
import { pressed } from "../../../page/shared/hearing.js";
import { isNarrow } from "../../../page/shared/narrow.js";
import { useProvided } from "../../../page/shared/provided.js";
import { Scrim, useSheet } from "../../../page/shared/sheet.jsx";
import { adopt } from "../../../page/shared/stylesheets.js";
import rules from "./comparison.css?inline";
import { areOfOneQuestion, missingCount } from "./pairs.js";
import { scrollTogether } from "./scrolling.js";
import { WordDifferences } from "./word_differences.jsx";

adopt(rules);

const KEYS = { ArrowLeft: "left", ArrowRight: "right", "=": "equal" };

const choices = () => [
  { better: "left", key: "←", short: t("Left"), label: t("Left is better"), said: t("Chosen: left is better.") },
  { better: "equal", key: "=", short: t("Tie"), label: t("Tie"), said: t("Chosen: both are equal.") },
  { better: "right", key: "→", short: t("Right"), label: t("Right is better"), said: t("Chosen: right is better.") },
];

// The keys apply to all of the comparison, except to fields that use them. A keyboard may need Shift for =.
const isChoice = (event) =>
  Object.keys(KEYS).some((key) => pressed(event, key)) &&
  !(event.altKey || event.ctrlKey || event.metaKey || (event.shiftKey && event.key !== "=")) &&
  !event.target.closest("input, textarea, select");

function Part({ label, onClose, children }) {
  const region = useRef(null);
  useSheet(region, onClose);
  useDragging(region, ".panel-head", down, (pulled) => (isFarAway(pulled) ? onClose : null));
  const key = (event) => pressed(event, "Escape") && onClose();
  return (
    <>
      <Scrim onClose={onClose} />
      <section ref={region} className="comparison-part" aria-label={label} tabIndex={0} onKeyDown={key}>
        <div className="panel-head">
          <span className="sheet-handle" />
          <h2>{label}</h2>
          <IconButton label={t("Close")} sign={X} size={18} onClick={onClose} />
        </div>
        {children}
      </section>
    </>
  );
}

export function Comparison(props) {
  const { left, right, leftTurns, leftHasEarlier, rightTurns, chosen, problem, onPrefer, onAskInTurn } = props;
  const [open, setOpen] = useState("");
  const isWriting = left.live || right.live;
  const isPair = !isWriting && areOfOneQuestion(leftTurns, rightTurns) && left.id !== "" && right.id !== "";
  const better = chosen[`${left.id} ${right.id}`];
  const missing = isWriting ? 0 : missingCount(leftTurns, rightTurns);
  const hasMoreMissing = leftHasEarlier && missing === leftTurns.length;
  const waited = useRef("");
  const isPresenting = useProvided("presenting");

  useEffect(() => scrollTogether(document.querySelector(".compared-two")), []);
  useEffect(() => {
    announce(t("A second column is open beside the conversation."));
    return () => announce(t("The comparison has ended."));
  }, []);
  useEffect(() => {
    const now = choices().find((one) => one.better === better);
    if (now && waited.current === better) announce(now.said);
    waited.current = "";
  }, [better]);

  const prefer = (side) => {
    waited.current = side;
    onPrefer(left.id, right.id, side);
  };
  const key = (event) => {
    if (!isPair || !isChoice(event)) return;
    event.preventDefault();
    prefer(KEYS[event.key]);
  };
  const parts = [
    { what: "words", label: t("Differences"), Sign: Diff },
    { what: "sources", label: t("Sources and figures"), Sign: Table2 },
  ];
  // A presentation and the next answer close a sheet.
  useEffect(() => {
    if (isNarrow() && (isPresenting || !isPair)) setOpen("");
  }, [isPresenting, isPair]);
  const part = isPair && parts.find(({ what }) => what === open);
  return (
    <>
      {/* The keys belong to the comparison as a whole: to its buttons, and to itself. */}
      <section className="comparison screen-only" aria-label={t("Comparison")} tabIndex={0} onKeyDown={key}>
        {isPair && (
          <>
            <span className="comparison-label" id="comparison-question">
              {t("Which answer is better?")}
            </span>
            <div role="group" aria-labelledby="comparison-question" className="segments comparison-choice">
              {choices().map(({ better: side, key: sign, short, label }) => (
                <Button
                  key={side}
                  aria-label={label}
                  title={label}
                  aria-pressed={better === side}
                  aria-keyshortcuts={Object.keys(KEYS).find((one) => KEYS[one] === side)}
                  onClick={() => prefer(side)}
                >
                  <kbd aria-hidden>{sign}</kbd> <span>{short}</span>
                </Button>
              ))}
            </div>
            <div className="segments comparison-parts">
              {parts.map(({ what, label, Sign }) => (
                <Button
                  key={what}
                  aria-label={label}
                  title={label}
                  aria-expanded={open === what}
                  onClick={() => setOpen(open === what ? "" : what)}
                >
                  <Sign size={16} aria-hidden /> <span>{label}</span>
                </Button>
              ))}
            </div>
          </>
        )}
        {missing > 0 && (
          <Button onClick={onAskInTurn}>
            {hasMoreMissing
              ? t("Ask all these questions on the right too")
              : tn("Ask the question on the right too", "Ask the {count} questions on the right too", missing)}
          </Button>
        )}
        {problem && <p role="alert">{problem}</p>}
      </section>
      {part && (
        <Part key={open} label={part.label} onClose={() => setOpen("")}>
          {open === "words" ? (
            <WordDifferences key={`${left.id} ${right.id}`} left={left.address} right={right.address} />
          ) : (
            <Fragment address={`${left.address}/beside/${right.id}`} />
          )}
        </Part>
      )}
    </>
  );
}
