// The buttons that rate an answer. What sends that, and where the reader says why, loads with the first press.

import { MessageSquareText, ThumbsDown, ThumbsUp } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { t } from "../languages/language.js";
import { IconButton } from "../shared/icon_button.jsx";
import { needed } from "../shared/loading.js";
import { announce } from "../speech/announcer.jsx";

const PROBLEM_SHOWN_FOR = 8000;

export function RateAnswer({ address, rating }) {
  const [given, setGiven] = useState(rating);
  const [Details, setDetails] = useState(null);
  const [problem, setProblem] = useState(null);
  const toggle = useRef(null);
  const presses = useRef(0);
  useEffect(() => setGiven(rating), [rating]);
  useEffect(() => {
    if (!problem) return undefined;
    announce(problem.words);
    const gone = setTimeout(() => setProblem(null), PROBLEM_SHOWN_FOR);
    return () => clearTimeout(gone);
  }, [problem]);

  const fail = (words, at = given) => setProblem({ words, at });
  const load = async (pressed) => {
    const loaded = await needed(() => import("./feedback_details.jsx"));
    if (!loaded) fail(t("That could not be loaded. Try again in a little while."), pressed);
    return loaded;
  };
  const open = async () => {
    const loaded = await load();
    if (loaded) setDetails(() => loaded.FeedbackDetails);
  };
  const close = () => {
    setDetails(null);
    toggle.current?.focus();
  };
  const press = async (pressed) => {
    const turn = ++presses.current;
    const wanted = given === pressed ? "" : pressed;
    setGiven(wanted);
    setProblem(null);
    setDetails(null);
    const loaded = await load(pressed);
    // What loads first does not come in the order in which it was pressed.
    if (turn !== presses.current) return;
    if (loaded && wanted === "bad") setDetails(() => loaded.FeedbackDetails);
    const words = loaded && (await loaded.problemOf(loaded.rate(address, wanted)));
    if (turn !== presses.current || (loaded && !words)) return;
    setGiven(rating);
    setDetails(null);
    if (words) fail(words, pressed);
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
      <span className="rating">
        {button("good", t("Good answer"), <ThumbsUp size={16} aria-hidden />)}
        {button("bad", t("Bad answer"), <ThumbsDown size={16} aria-hidden />)}
        {given && (
          <IconButton
            ref={toggle}
            label={t("Say why")}
            aria-expanded={Details !== null}
            onClick={Details ? close : open}
          >
            <MessageSquareText size={16} aria-hidden />
          </IconButton>
        )}
      </span>
      {given && Details && <Details key={given} address={address} rating={given} onClose={close} onProblem={fail} />}
    </>
  );
}
