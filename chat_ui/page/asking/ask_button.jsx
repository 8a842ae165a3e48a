// A button that asks its question, once even when pressed repeatedly, and focuses the composer.

import { run } from "../commands/commands.js";
import { focusHome } from "../shared/focus.js";
import { pending } from "./pending_questions.js";

export function AskButton({ question, language, children }) {
  const ask = ({ detail }) => {
    // A second press may hit a button that the first one moved there.
    if (detail > 1 || pending().some((sent) => sent.question === question)) return;
    run("ask", question);
    focusHome();
  };
  return (
    <button type="button" className="chip" dir="auto" lang={language || undefined} onClick={ask}>
      {children}
    </button>
  );
}
