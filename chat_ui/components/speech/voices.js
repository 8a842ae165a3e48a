// The voices of this browser.

import { useSyncExternalStore } from "react";

export const voices = () => globalThis.speechSynthesis?.getVoices() ?? [];

function listen(changed) {
  globalThis.speechSynthesis?.addEventListener?.("voiceschanged", changed);
  return () => globalThis.speechSynthesis?.removeEventListener?.("voiceschanged", changed);
}

/** Whether this browser can read aloud; some know their voices only a while after the page is there. */
export const useCanSpeak = () =>
  useSyncExternalStore(
    listen,
    () => voices().length > 0,
    () => false,
  );
