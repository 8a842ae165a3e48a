// The word differences of two answers, in a single text.

import { t } from "../../../page/languages/language.js";
import { Alert } from "../../../page/shared/alert.jsx";
import { fetched, needed, useLoaded } from "../../../page/shared/loading.js";

const wordsOf = async (address, signal) => (await fetched(`${address}/words`, signal)).text();

export function WordDifferences({ left, right }) {
  const load = async (signal) => {
    const [one, other, differing] = await Promise.all([
      wordsOf(left, signal),
      wordsOf(right, signal),
      needed(() => import("./word_diff.js")),
    ]);
    if (!differing) throw new Error("the differences were not loaded");
    return { parts: await differing.wordDiff(one, other, document.documentElement.lang) };
  };
  const { value, problem } = useLoaded(load, [left, right]);
  const isTooMuch = value?.parts === null;

  return (
    <div className="word-part">
      <p className="field-help">
        <del>{t("Only left")}</del> <ins>{t("Only right")}</ins>
      </p>
      <Alert words={isTooMuch ? t("These answers are too long or too different to compare word by word.") : problem} />
      <div className="word-differences" dir="auto" aria-busy={(!value && !problem) || undefined}>
        {value?.parts?.map(({ kind, text }, at) => {
          // Differences of line breaks and spaces are not marked.
          const Part = text.trim() ? { left: "del", right: "ins", both: "span" }[kind] : "span";
          return <Part key={at}>{text}</Part>;
        })}
      </div>
    </div>
  );
}
