// What is kept in this browser to be read without a network, and a way to clear it.

import { useEffect, useState } from "react";
import { t, tn } from "../languages/language.js";
import { canKeep, count, forgetAll } from "./copies.js";

const inWords = (copies) =>
  tn(
    "1 conversation is kept in this browser, to be read without a network.",
    "{count} conversations are kept in this browser, to be read without a network.",
    copies,
  );

/** It looks again with each `revision`. */
export function KeptHere({ revision }) {
  const [copies, setCopies] = useState(0);
  const [outcome, setOutcome] = useState("");
  const look = () => canKeep() && count().then(setCopies, () => {});

  useEffect(() => {
    look();
  }, [revision]);
  const clear = () =>
    forgetAll().then(() => {
      setOutcome(t("This browser keeps no conversation now."));
      look();
    });
  return (
    <>
      {copies > 0 && (
        <p>
          {inWords(copies)}{" "}
          <button type="button" className="button" onClick={clear}>
            {t("Remove them from this browser")}
          </button>
        </p>
      )}
      <p role="status">{outcome}</p>
    </>
  );
}
