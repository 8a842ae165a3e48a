// A part of the panel that is folded until its button is pressed. The browser does that alone: a press that had to reach
// the server could get lost on its way.

import { ChevronRight } from "lucide-react";
import { useState } from "react";

// The answer whose part is unfolded, also while the panel shows something else of it.
let unfolded = "";

/** @param {{ label: string, answer: string, children?: import("react").ReactNode }} props */
export function Disclosure({ label, answer, children }) {
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
