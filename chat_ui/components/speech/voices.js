// The voices of this browser.

import { useSyncExternalStore } from "react";

const base = (lang) => lang.toLowerCase().split(/[-_]/)[0];

export const voices = () => globalThis.speechSynthesis?.getVoices() ?? [];

/** The best voice for `lang`: one of this device before one that sends the text away, the person's region before others. */
export function voiceFor(lang) {
  const fits = voices().filter((voice) => base(voice.lang) === base(lang));
  const isRegion = (voice) => navigator.languages.some((own) => own.replace("_", "-") === voice.lang.replace("_", "-"));
  const rank = (voice) => 4 * Number(voice.localService) + 2 * Number(isRegion(voice)) + Number(voice.default);
  return fits.sort((one, other) => rank(other) - rank(one))[0] ?? null;
}

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
