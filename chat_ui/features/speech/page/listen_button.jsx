// The button that reads an answer aloud, or stops that. Only a single answer is read at a time; the code loads at first
// use. The provided `remote-voice` makes the voice of an answer from its address and an AudioContext.

import { Square, Volume2 } from "lucide-react";
import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import { t } from "../../../page/languages/language.js";
import { useCommand } from "../../../page/commands/commands.js";
import { Listeners } from "../../../page/shared/hearing.js";
import { IconButton } from "../../../page/shared/button.jsx";
import { needed } from "../../../page/shared/loading.js";
import { useProvided } from "../../../page/shared/provided.js";
import { announce, leaveSound, takeSound } from "../../../page/announcing/announcer.jsx";
import { useConsent } from "./consent.jsx";

const PROBLEM_SHOWN_FOR = 8000;

function whenVoicesChange(changed) {
  globalThis.speechSynthesis?.addEventListener?.("voiceschanged", changed);
  return () => globalThis.speechSynthesis?.removeEventListener?.("voiceschanged", changed);
}

const canSpeak = () => globalThis.speechSynthesis?.getVoices().length > 0;
const onServer = () => false;

const { listen, tell } = new Listeners();
// The current reading: the address of its answer, and its stop function.
let current = null;

function change(reading) {
  current = reading;
  tell();
}

function stopListening() {
  const stopped = current;
  change(null);
  leaveSound(stopListening);
  stopped?.listening?.stop();
  stopped?.audio?.close();
}

async function readAloud(address, root, { voiceOf, mayAsk, onProblem }) {
  stopListening();
  const audio = voiceOf && new AudioContext();
  // WebKit allows sound only if it begins within the press.
  audio?.resume().catch(() => {});
  const reading = { address, audio, listening: null };
  takeSound(stopListening);
  change(reading);
  const [loaded, voice] = await Promise.all([
    needed(() => import("./listening.js")),
    audio && needed(() => voiceOf(address, audio)),
  ]);
  if (current !== reading) return;
  if (!loaded) {
    stopListening();
    onProblem(t("Reading aloud could not be loaded. Try again in a moment."));
    return;
  }
  const onEnd = () => current === reading && stopListening();
  reading.listening = new loaded.Listening(root, { voice, mayAsk, onProblem, onEnd });
}

export function ListenButton({ address, isLatest }) {
  // Some browsers load their voices late.
  const hasVoice = useSyncExternalStore(whenVoicesChange, canSpeak, onServer);
  const voiceOf = useProvided("remote-voice");
  const isRead = useSyncExternalStore(listen, () => current?.address === address, onServer);
  const isPossible = hasVoice || Boolean(voiceOf) || isRead;
  const { mayAsk, dialog } = useConsent();
  const [problem, setProblem] = useState("");
  const button = useRef(null);
  useCommand("listen", isPossible && isLatest && (() => press()));
  useEffect(
    () => () => {
      if (current?.address === address) stopListening();
    },
    [address],
  );
  useEffect(() => {
    const waiting = setTimeout(() => setProblem(""), PROBLEM_SHOWN_FOR);
    return () => clearTimeout(waiting);
  }, [problem]);
  if (!isPossible) return null;
  const onProblem = (words) => {
    setProblem(words);
    announce(words);
  };
  const press = () => {
    setProblem("");
    if (isRead) stopListening();
    else {
      const root = button.current.closest("article").querySelector(".answer-text");
      readAloud(address, root, { voiceOf, mayAsk, onProblem });
    }
  };
  const label = isRead ? t("Stop listening") : t("Listen");
  return (
    <>
      <IconButton
        ref={button}
        label={label}
        title={problem || label}
        data-problem={problem || undefined}
        data-reading={isRead || undefined}
        onClick={press}
      >
        {isRead ? <Square size={14} fill="currentColor" aria-hidden /> : <Volume2 size={16} aria-hidden />}
        <span className="tool-label">{isRead ? t("Stop") : t("Listen")}</span>
      </IconButton>
      {dialog}
    </>
  );
}
