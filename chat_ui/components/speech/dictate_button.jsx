// The button that takes dictation into the box for a question, where the browser can and this page may use the microphone.
// How is loaded when it is first used.

import { Mic } from "lucide-react";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { IconButton } from "../shared/icon_button.jsx";
import { stopListening } from "./listen_button.jsx";

const Consent = lazy(() => import("./consent.jsx"));

const NOT_LOADED = "Dictation could not be loaded. Try again in a little while.";

// A page in a frame may use the microphone only if the page around it allows that.
function canDictate() {
  if (!("SpeechRecognition" in window || "webkitSpeechRecognition" in window)) return false;
  const policy = /** @type {any} */ (document).permissionsPolicy ?? /** @type {any} */ (document).featurePolicy;
  return policy ? policy.allowsFeature("microphone") : window.parent === window;
}

export function DictateButton({ box, onProblem }) {
  const [isOn, setOn] = useState(false);
  const [interim, setInterim] = useState("");
  const [asked, setAsked] = useState(null);
  const dictation = useRef(null);
  useEffect(() => () => dictation.current?.finish(), []);
  if (!canDictate()) return null;

  const begin = async () => {
    onProblem("");
    stopListening();
    const loaded = await import("./dictation.js").catch(() => null);
    if (!loaded) onProblem(NOT_LOADED);
    else if (!dictation.current) loaded.dictate(box.current, dictation, { setAsked, setInterim, setOn, onProblem });
  };
  const press = () => (dictation.current ? dictation.current.finish() : begin());

  return (
    <>
      {interim && (
        <p className="dictated" dir="auto" aria-hidden>
          {interim}
        </p>
      )}
      <IconButton label="Dictate" className="dictate" aria-pressed={isOn} onClick={press}>
        <Mic size={18} aria-hidden />
      </IconButton>
      <Suspense>{asked && <Consent {...asked} />}</Suspense>
    </>
  );
}
