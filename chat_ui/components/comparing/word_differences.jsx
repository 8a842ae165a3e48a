// The words that only one of two answers has, in one text.

import { useEffect, useState } from "react";
import { t } from "../languages/language.js";
import { fetched, needed, untilLoaded, wordsFor } from "../shared/loading.js";

const wordsOf = async (address, signal) => (await fetched(`${address}/words`, signal)).text();

export function WordDifferences({ left, right }) {
  const [parts, setParts] = useState(null);
  const [problem, setProblem] = useState("");

  useEffect(() => {
    setParts(null);
    const load = async (signal) => {
      const [texts, differing] = await Promise.all([
        Promise.all([wordsOf(left, signal), wordsOf(right, signal)]),
        needed(() => import("./word_diff.js")),
      ]);
      signal.throwIfAborted();
      if (!differing) throw new Error("the differences were not loaded");
      const found = await differing.wordDiff(texts[0], texts[1], document.documentElement.lang);
      signal.throwIfAborted();
      setProblem(found ? "" : t("These answers are too long or too different to compare word by word."));
      setParts(found ?? []);
    };
    return untilLoaded(load, (failures, isLast) => setProblem(wordsFor(failures, isLast)));
  }, [left, right]);

  return (
    <>
      <p className="word-legend">
        <del>{t("Only left")}</del> <ins>{t("Only right")}</ins>
      </p>
      {problem && <p role="alert">{problem}</p>}
      <div className="word-differences" dir="auto" aria-busy={(parts === null && !problem) || undefined}>
        {parts?.map(({ kind, text }, at) => {
          // Lines and spaces that only one of them has say nothing.
          const Part = text.trim() ? { left: "del", right: "ins", both: "span" }[kind] : "span";
          return <Part key={at}>{text}</Part>;
        })}
      </div>
    </>
  );
}
