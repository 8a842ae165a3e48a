// The button that dictates into the composer, if the browser supports it and this page may use the microphone. The code
// loads at first use.

import { Mic } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { t } from "../../../page/languages/language.js";
import { useCommand } from "../../../page/commands/commands.js";
import { IconButton } from "../../../page/shared/button.jsx";
import { needed } from "../../../page/shared/loading.js";
import { leaveSound, takeSound } from "../../../page/announcing/announcer.jsx";
import { useConsent } from "./consent.jsx";

// A page in a frame may use the microphone only if the embedding page allows it.
function canDictate() {
  if (!("SpeechRecognition" in window || "webkitSpeechRecognition" in window)) return false;
  const policy = /** @type {any} */ (document).permissionsPolicy ?? /** @type {any} */ (document).featurePolicy;
  return policy ? policy.allowsFeature("microphone") : window.parent === window;
}

export function DictateButton({ box, onProblem }) {
  const [isOn, setOn] = useState(false);
  const [interim, setInterim] = useState("");
  const { mayAsk, forget, dialog } = useConsent();
  // The current dictation, from the press that starts it; when aborted, it keeps the text so far.
  const current = useRef(null);
  useEffect(() => () => current.current?.abort(), []);
  const isPossible = canDictate();
  useCommand("dictate", isPossible && (() => press()));
  if (!isPossible) return null;

  const begin = async () => {
    const going = new AbortController();
    const end = () => going.abort();
    current.current = going;
    going.signal.addEventListener("abort", () => {
      leaveSound(end);
      current.current = null;
      forget();
      setInterim("");
      setOn(false);
    });
    onProblem("");
    takeSound(end);
    const loaded = await needed(() => import("./dictation.js"));
    if (going.signal.aborted) return;
    if (loaded) await loaded.dictate(box.current, going, { mayAsk, setInterim, setOn, onProblem });
    else {
      onProblem(t("Dictation could not be loaded. Try again in a moment."));
      end();
    }
  };
  const press = () => (current.current ? current.current.abort() : begin());

  return (
    <>
      {interim && (
        <p className="dictated" dir="auto" aria-hidden>
          {interim}
        </p>
      )}
      <IconButton label={t("Dictate")} className="dictate" aria-pressed={isOn} onClick={press} sign={Mic} size={18} />
      {dialog}
    </>
  );
}
