// The buttons that rate an answer. The panel for reasons loads when first opened.

import { MessageSquareText, ThumbsDown, ThumbsUp } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { t } from "../../../page/languages/language.js";
import { IconButton } from "../../../page/shared/button.jsx";
import { needed } from "../../../page/shared/loading.js";
import { announce } from "../../../page/announcing/announcer.jsx";
import { change, useWanted } from "./feedback.js";

const PROBLEM_SHOWN_FOR = 8000;

export function RateAnswer({ address, rating }) {
  const [known, setKnown] = useState(rating);
  const [given, want] = useWanted(known);
  const [Details, setDetails] = useState(null);
  const [problem, setProblem] = useState(null);
  const group = useRef(null);
  const toggle = useRef(null);
  const shown = useRef(given);
  shown.current = given;
  useEffect(() => setKnown(rating), [rating]);
  useEffect(() => {
    if (!problem) return undefined;
    announce(problem.words);
    const gone = setTimeout(() => setProblem(null), PROBLEM_SHOWN_FOR);
    return () => clearTimeout(gone);
  }, [problem]);

  const fail = (words, at = shown.current) => (group.current ? setProblem({ words, at }) : announce(words));
  const open = async () => {
    const loaded = await needed(() => import("./feedback_details.jsx"));
    if (loaded) setDetails(() => loaded.FeedbackDetails);
    else fail(t("Loading failed. Try again in a moment."));
  };
  const press = (pressed) => {
    const next = given === pressed ? "" : pressed;
    setProblem(null);
    setDetails(null);
    if (next === "bad") open();
    const saved = (feedback) => setKnown(feedback.rating ?? "");
    const refused = (words) => {
      setDetails(null);
      fail(words, pressed);
    };
    want(next, change(address, { rating: next || null }).then(saved, refused));
  };
  const button = (value, label, icon) => (
    <IconButton
      label={label}
      title={value === problem?.at ? problem.words : label}
      aria-pressed={given === value}
      data-problem={value === problem?.at ? problem.words : undefined}
      onClick={() => press(value)}
    >
      {icon}
    </IconButton>
  );
  return (
    <>
      <span ref={group} className="rating">
        {button("good", t("Good answer"), <ThumbsUp size={16} aria-hidden />)}
        {button("bad", t("Bad answer"), <ThumbsDown size={16} aria-hidden />)}
        {given && (
          <IconButton
            ref={toggle}
            label={t("Add details")}
            aria-expanded={Details !== null}
            onClick={Details ? () => setDetails(null) : open}
            sign={MessageSquareText}
          />
        )}
      </span>
      {given && Details && (
        <Details
          address={address}
          rating={given}
          onClose={() => setDetails(null)}
          onGone={() => (shown.current ? toggle.current : group.current?.querySelector("button"))?.focus()}
          onProblem={fail}
        />
      )}
    </>
  );
}
