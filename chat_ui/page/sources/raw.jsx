// The raw exchange of an answer, collapsed until its button is pressed. The state is only in the browser.

import { ChevronRight } from "lucide-react";
import { useState } from "react";

// The answer whose exchange is expanded, even while the panel shows another one.
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
