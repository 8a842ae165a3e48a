// One set of questions: what it is, how far it is answered, and what can be done with it.

import { useEffect, useId, useRef, useState } from "react";
import { t, tn } from "../languages/language.js";
import { clockOf, momentOf } from "../shared/moments.js";

const FOCUSED = ["button:enabled", "a", "select", "iframe"].join();

function Facts({ run }) {
  const facts = [tn("One question", "{count} questions", run.count)];
  if (run.with_truth > 0) facts.push(tn("one with the right answer", "{count} with the right answer", run.with_truth));
  facts.push(momentOf(run.at));
  return (
    <p className="evaluation-words">
      {facts.join(" · ")}
      {run.url && (
        <>
          {" · "}
          <bdi>{run.model ? `${run.url}, ${run.model}` : run.url}</bdi>
        </>
      )}
    </p>
  );
}

function Progress({ run, share }) {
  const { done, failed, count, is_running, free_at, is_paced } = run;
  if (!is_running && done === 0) return null;
  const words = [t("{done} of {count} answered", { done, count })];
  if (failed > 0) words.push(tn("one of them failed", "{count} of them failed", failed));
  if (free_at > 0) words.push(t("the backend asks for a wait until {time}", { time: clockOf(free_at) }));
  else if (is_paced) words.push(tn("one question a minute is asked", "{count} questions a minute are asked", share));
  return (
    <>
      <progress max={count} value={done} aria-label={t("Answered")} />
      <p className="evaluation-words">{words.join(" · ")}</p>
    </>
  );
}

// The second press of a double click is for the button that was there before.
const once = (act) => (event) => event.detail < 2 && act();

/** A question before something that cannot be taken back, with a button for either answer. */
function Confirming({ words, yes, no, describedBy, onYes, onNo }) {
  return (
    <>
      <span>{words}</span>
      <button type="button" className="button" aria-describedby={describedBy} onClick={once(onYes)}>
        {yes}
      </button>
      <button type="button" className="button" autoFocus onClick={once(onNo)}>
        {no}
      </button>
    </>
  );
}

export function Run({ run, share, isBusy, onBegin, onStop, onShow, onRemove }) {
  const [asksFor, setAsksFor] = useState("");
  const name = useId();
  const acts = useRef(/** @type {HTMLDivElement | null} */ (null));
  const { done, count, is_running } = run;
  const isWhole = done >= count;

  // A button that had the focus may be gone, or take none.
  useEffect(() => {
    if (document.activeElement?.matches(FOCUSED)) return;
    const next = acts.current?.querySelector("[data-next]") ?? acts.current?.querySelector("button:enabled");
    if (asksFor || is_running || acts.current?.dataset.used) /** @type {HTMLElement | null} */ (next)?.focus();
  }, [is_running, asksFor]);
  const button = (words, act, { isNext = false, isPrimary = false, disabled = false } = {}) => (
    <button
      key={words}
      type="button"
      className={`button ${isPrimary ? "button-primary" : ""}`}
      aria-describedby={name}
      data-next={isNext || undefined}
      disabled={disabled}
      onClick={once(act)}
    >
      {words}
    </button>
  );

  return (
    <li className="evaluation-run">
      <h2 id={name} dir="auto">
        {run.name}
      </h2>
      <Facts run={run} />
      <Progress run={run} share={share} />
      <div role="alert" className="evaluation-note">
        {run.problem && <p className="callout callout-error">{run.problem}</p>}
      </div>
      <div
        ref={acts}
        className="evaluation-acts"
        onClick={({ currentTarget }) => {
          currentTarget.dataset.used = "true";
        }}
      >
        {asksFor === "remove" && (
          <Confirming
            words={done > 0 ? t("Remove it with its answers?") : t("Remove it?")}
            yes={t("Remove")}
            no={t("Keep it")}
            describedBy={name}
            onYes={onRemove}
            onNo={() => setAsksFor("")}
          />
        )}
        {asksFor === "again" && (
          <Confirming
            words={tn("Ask the question again?", "Ask all {count} questions again?", count)}
            yes={t("Ask again")}
            no={t("Cancel")}
            describedBy={name}
            onYes={() => {
              setAsksFor("");
              onBegin(true);
            }}
            onNo={() => setAsksFor("")}
          />
        )}
        {!asksFor && (
          <>
            {is_running && button(t("Stop"), onStop, { isNext: true })}
            {!is_running &&
              !isWhole &&
              button(done > 0 ? t("Go on") : t("Ask the questions"), () => onBegin(false), {
                isNext: true,
                isPrimary: true,
                disabled: isBusy,
              })}
            {done > 0 && button(is_running ? t("Report so far") : t("Report"), onShow, { isNext: isWhole })}
            {(done > 0 || run.problem) &&
              !is_running &&
              button(t("Ask again…"), () => setAsksFor("again"), { disabled: isBusy })}
            <span className="spacer" />
            {!is_running && button(t("Remove…"), () => setAsksFor("remove"))}
          </>
        )}
      </div>
    </li>
  );
}
