// The button that takes dictation into the box for a question, where the browser can and this page may use the microphone.
// How is loaded when it is first used.

import { Mic } from "lucide-react";
import { lazy, Suspense, useEffect, useRef, useState } from "react";
import { useCommand } from "../commands/commands.js";
import { IconButton } from "../shared/icon_button.jsx";
import { announce } from "./announcer.jsx";
import { stopListening } from "./listen_button.jsx";

const Consent = lazy(() => import("./consent.jsx"));

const ALLOWED = "chat-ui-dictation";
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
  const isPossible = canDictate();
  useCommand("dictate", isPossible && (() => press()));
  if (!isPossible) return null;

  const begin = async () => {
    onProblem("");
    stopListening();
    const loaded = await import("./dictation.js").catch(() => null);
    if (!loaded) {
      onProblem(NOT_LOADED);
      return;
    }
    const isLocal = await loaded.isOnDevice();
    if (!isLocal && localStorage.getItem(ALLOWED) !== "yes") {
      const isAllowed = await new Promise((resolve) => setAsked({ resolve }));
      setAsked(null);
      if (!isAllowed) return;
      localStorage.setItem(ALLOWED, "yes");
    }
    if (dictation.current) return;
    setOn(true);
    announce("Dictation is on.");
    dictation.current = new loaded.Dictation(box.current, {
      isLocal,
      onInterim: setInterim,
      onEnd: (problem) => {
        dictation.current = null;
        setOn(false);
        if (problem) onProblem(problem);
        else announce("Dictation is off.");
      },
    });
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
      <Suspense>
        {asked && (
          <Consent title="Dictate your question?" action="Dictate" onDecide={asked.resolve}>
            Your browser turns speech into text, and may send the sound to its maker for that: Chrome sends it to
            Google. This chat gets the text alone, once you send it. You are asked this once.
          </Consent>
        )}
      </Suspense>
    </>
  );
}
