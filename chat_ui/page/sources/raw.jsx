// What travelled for an answer, folded until its button is pressed. That is the browser's matter alone.

import { ChevronRight } from "lucide-react";
import { useState } from "react";

// The answer for which it is unfolded, also while the panel shows something else.
let unfolded = "";

/** @param {{ label: string, answer: string, children?: import("react").ReactNode }} props */
export function Raw({ label, answer, children }) {
  const [shown, setShown] = useState(unfolded);
  const isShown = shown === answer;
  const press = () => {
    unfolded = isShown ? "" : answer;
    setShown(unfolded);
  };
  return (
    <section className="raw">
      <h3>
        <button type="button" className="raw-button" aria-expanded={isShown} onClick={press}>
          <ChevronRight size={16} aria-hidden />
          {label}
        </button>
      </h3>
      {isShown && children}
    </section>
  );
}
