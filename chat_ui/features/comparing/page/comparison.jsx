// Choices below two columns: the better of the last two answers, and their differences, which load on request.

import { useEffect, useRef, useState } from "react";
import { t, tn } from "../../../page/languages/language.js";
import { Fragment } from "../../../page/sources/fragment.jsx";
import { announce } from "../../../page/announcing/announcer.jsx";
import { Button } from "../../../page/shared/button.jsx";
import { pressed } from "../../../page/shared/hearing.js";
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

// The keys apply to all of the comparison, except to parts that use them. A keyboard may need Shift for =.
const isChoice = (event) =>
  Object.keys(KEYS).some((key) => pressed(event, key)) &&
  !(event.altKey || event.ctrlKey || event.metaKey || (event.shiftKey && event.key !== "=")) &&
  !event.target.closest("input, textarea, select, .comparison-part");

export function Comparison(props) {
  const { left, right, leftTurns, leftHasEarlier, rightTurns, chosen, problem, onPrefer, onAskInTurn } = props;
  const [open, setOpen] = useState("");
  const isWriting = left.live || right.live;
  const isPair = !isWriting && areOfOneQuestion(leftTurns, rightTurns) && left.id !== "" && right.id !== "";
  const better = chosen[`${left.id} ${right.id}`];
  const missing = isWriting ? 0 : missingCount(leftTurns, rightTurns);
  const hasMoreMissing = leftHasEarlier && missing === leftTurns.length;
  const waited = useRef("");

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
    ["words", t("Differences")],
    ["sources", t("Sources")],
  ];
  return (
    // The keys belong to the comparison as a whole: to its buttons, and to itself.
    <section className="comparison" aria-label={t("Comparison")} tabIndex={0} onKeyDown={key}>
      <div className="comparison-bar screen-only">
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
                  <kbd aria-hidden>{sign}</kbd> {short}
                </Button>
              ))}
            </div>
            <div className="segments">
              {parts.map(([what, label]) => (
                <Button
                  key={what}
                  aria-expanded={open === what}
                  aria-controls="comparison-part"
                  onClick={() => setOpen(open === what ? "" : what)}
                >
                  {label}
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
      </div>
      {problem && <p role="alert">{problem}</p>}
      {isPair && open !== "" && (
        <div id="comparison-part" className="comparison-part" tabIndex={0} role="region" aria-label={t("Differences")}>
          {open === "words" ? (
            <WordDifferences key={`${left.id} ${right.id}`} left={left.address} right={right.address} />
          ) : (
            <Fragment address={`${left.address}/beside/${right.id}`} />
          )}
        </div>
      )}
    </section>
  );
}
