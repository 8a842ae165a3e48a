// Full screen mode, if the browser allows it.

import { t } from "../../../page/languages/language.js";
import { hear } from "../../../page/shared/hearing.js";

// Whether full screen is left on purpose: opening a window ends it.
let isLeaving = false;

export function fillScreen() {
  isLeaving = false;
  if (document.fullscreenElement || !document.fullscreenEnabled) return;
  // Without the permission, the page presents in its window.
  document.documentElement.requestFullscreen({ navigationUI: "hide" }).catch(() => {});
}

export function leaveScreen() {
  isLeaving = true;
  if (document.fullscreenElement) document.exitFullscreen().catch(() => {});
}

/** Open the presenter's window beside the page, which keeps presenting; returns a text on failure, if any. */
export function openNotes(address) {
  const opened = window.open(address, "chat-ui-notes", "popup,width=1000,height=720");
  isLeaving = Boolean(opened && document.fullscreenElement);
  return opened ? "" : t("The browser blocked the window. Allow pop-ups for this page, then open it again.");
}

/** Call `onLeft` when a person leaves full screen: the browser handles that Escape itself. */
export function hearLeaving(onLeft) {
  const changed = () => {
    if (!document.fullscreenElement && !isLeaving) onLeft();
    isLeaving = false;
  };
  return hear(window, {
    fullscreenchange: changed,
    // Unloading the page leaves full screen too.
    pagehide: () => (isLeaving = true),
    // If the page stays in full screen, the flag is reset when the person is back in it.
    focus: () => (isLeaving = false),
  });
}
