// A button that asks its question, once however often it is pressed, and moves the focus to the box for the next one.

import { focusHome } from "../shared/focus.js";
import { useLanguage } from "../speech/languages.js";
import { send } from "./sending.js";
import { pending } from "./pending_questions.js";

export function AskButton({ question, children }) {
  const lang = useLanguage(question);
  const ask = ({ detail }) => {
    // A second press may hit a button that the first one moved there.
    if (detail > 1 || pending().some((sent) => sent.question === question)) return;
    send(question);
    focusHome();
  };
  return (
    <button type="button" className="chip" dir="auto" lang={lang} onClick={ask}>
      {children}
    </button>
  );
}
