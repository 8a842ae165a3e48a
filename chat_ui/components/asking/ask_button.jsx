// A button that asks its question, once however often it is pressed, and leaves the focus where the next one is written.

import { focusHome } from "../shared/focus.js";
import { useLanguage } from "../speech/languages.js";
import { send } from "./sending.js";
import { underway } from "./underway.js";

export function AskButton({ question, children }) {
  const lang = useLanguage(question);
  const ask = ({ detail }) => {
    // The second press of two may fall on a button that the first one has moved there.
    if (detail > 1 || underway().some((sent) => sent.question === question)) return;
    send(question);
    focusHome();
  };
  return (
    <button type="button" className="chip" dir="auto" lang={lang} onClick={ask}>
      {children}
    </button>
  );
}
