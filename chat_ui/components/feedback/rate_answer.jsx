// The buttons that rate an answer. What sends that, and where the reader says why, loads with the first press.

import { MessageSquareText, ThumbsDown, ThumbsUp } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { t } from "../languages/language.js";
import { IconButton } from "../shared/icon_button.jsx";
import { needed } from "../shared/loading.js";
import { announce } from "../speech/announcer.jsx";
import { DRAFTS } from "./drafts_key.js";

const PROBLEM_SHOWN_FOR = 8000;
const load = () => needed(() => import("./feedback_details.jsx"));
const notLoaded = () => t("That could not be loaded. Try again in a little while.");

export function RateAnswer({ address, rating }) {
  const [given, setGiven] = useState(rating);
  const [Details, setDetails] = useState(null);
  const [problem, setProblem] = useState(null);
  const group = useRef(null);
  const toggle = useRef(null);
  const presses = useRef(0);
  const underWay = useRef(0);
  const kept = useRef(rating);
  const shown = useRef(given);
  shown.current = given;
  useEffect(() => {
    kept.current = rating;
    // What came of one press does not overrule the next.
    if (underWay.current === 0) setGiven(rating);
  }, [rating]);
  useEffect(() => {
    if (sessionStorage.getItem(DRAFTS)?.includes(address)) load().then((loaded) => loaded?.resume(address));
  }, [address]);
  useEffect(() => {
    if (!problem) return undefined;
    announce(problem.words);
    const gone = setTimeout(() => setProblem(null), PROBLEM_SHOWN_FOR);
    return () => clearTimeout(gone);
  }, [problem]);

  const fail = (words, at = shown.current) => (group.current ? setProblem({ words, at }) : announce(words));
  const open = async () => {
    const loaded = await load();
    if (loaded) setDetails(() => loaded.FeedbackDetails);
    else fail(notLoaded());
  };
  // The words of a problem, if there is any.
  const send = async (wanted, turn) => {
    const loaded = await load();
    // What loads first does not come in the order in which it was pressed.
    if (turn !== presses.current) return "";
    if (loaded && wanted === "bad") setDetails(() => loaded.FeedbackDetails);
    return loaded ? loaded.rate(address, wanted) : notLoaded();
  };
  const press = async (pressed) => {
    const turn = ++presses.current;
    const wanted = given === pressed ? "" : pressed;
    setGiven(wanted);
    setProblem(null);
    setDetails(null);
    underWay.current += 1;
    const words = await send(wanted, turn);
    underWay.current -= 1;
    if (turn !== presses.current || !words) return;
    setGiven(kept.current);
    setDetails(null);
    fail(words, pressed);
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
            label={t("Say why")}
            aria-expanded={Details !== null}
            onClick={Details ? () => setDetails(null) : open}
          >
            <MessageSquareText size={16} aria-hidden />
          </IconButton>
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
