// The button that has an answer read aloud, or stops that. One answer is read at a time; how is loaded when it is first used.

import { Square, Volume2 } from "lucide-react";
import { lazy, Suspense, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { useCommand } from "../commands/commands.js";
import { IconButton } from "../shared/icon_button.jsx";
import { useCanSpeak } from "./voices.js";

const Consent = lazy(() => import("./consent.jsx"));

const listeners = new Set();
// What is read: the address of its answer, and what stops it.
let current = null;

function change(reading) {
  current = reading;
  for (const listener of listeners) listener();
}

function listen(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function stopListening() {
  const stopped = current;
  change(null);
  stopped?.listening?.stop();
}

async function readAloud(address, root, mayAsk) {
  stopListening();
  const reading = { address, listening: null };
  change(reading);
  const loaded = await import("./listening.js").catch(() => null);
  if (current !== reading) return;
  if (!loaded) {
    stopListening();
    return;
  }
  reading.listening = new loaded.Listening(root, { mayAsk, onEnd: () => current === reading && change(null) });
}

export function ListenButton({ address, isLatest }) {
  const canSpeak = useCanSpeak();
  const isRead = useSyncExternalStore(
    listen,
    () => current?.address === address,
    () => false,
  );
  const [asked, setAsked] = useState(null);
  const button = useRef(null);
  useCommand("listen", canSpeak && isLatest && (() => press()));
  useEffect(
    () => () => {
      if (current?.address === address) stopListening();
    },
    [address],
  );
  if (!canSpeak) return null;
  const mayAsk = (question) =>
    new Promise((resolve) =>
      setAsked({
        ...question,
        onDecide: (isAllowed) => {
          setAsked(null);
          resolve(isAllowed);
        },
      }),
    );
  const press = () => {
    if (isRead) stopListening();
    else readAloud(address, button.current.closest("article").querySelector(".answer-text"), mayAsk);
  };
  return (
    <>
      <IconButton
        ref={button}
        label={isRead ? "Stop listening" : "Listen"}
        data-reading={isRead || undefined}
        onClick={press}
      >
        {isRead ? <Square size={14} fill="currentColor" aria-hidden /> : <Volume2 size={16} aria-hidden />}
        <span className="tool-label">{isRead ? "Stop" : "Listen"}</span>
      </IconButton>
      <Suspense>{asked && <Consent {...asked} />}</Suspense>
    </>
  );
}
