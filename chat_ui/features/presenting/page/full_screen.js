// Full screen mode, if the browser allows it. The browser enters and leaves it later than it is asked to.

import { t } from "../../../page/languages/language.js";
import { hear } from "../../../page/shared/hearing.js";

let isWanted = false;
// Whether this page leaves full screen, which the browser has not yet told.
let isLeaving = false;
// Whether full screen may end on purpose: opening a window ends it.
let mayEnd = false;

export function fillScreen() {
  isWanted = true;
  mayEnd = false;
  if (isLeaving || document.fullscreenElement || !document.fullscreenEnabled) return;
  // Without the permission, the page presents in its window.
  document.documentElement.requestFullscreen({ navigationUI: "hide" }).catch(() => {});
}

export function leaveScreen() {
  isWanted = false;
  if (isLeaving || !document.fullscreenElement) return;
  isLeaving = true;
  document.exitFullscreen().catch(() => {
    isLeaving = false;
  });
}

/** Open the presenter's window beside the page, which keeps presenting; returns a text on failure, if any. */
export function openNotes(address) {
  const opened = window.open(address, "chat-ui-notes", "popup,width=1000,height=720");
  mayEnd = Boolean(opened && document.fullscreenElement);
  return opened ? "" : t("The browser blocked the window. Allow pop-ups for this page, then open it again.");
}

let tellLeft = () => {};

// Heard without a presentation too: the browser may enter full screen after its end.
function changed() {
  if (document.fullscreenElement) {
    if (!isWanted) leaveScreen();
  } else if (isLeaving) {
    isLeaving = false;
    if (isWanted) fillScreen();
  } else if (isWanted && !mayEnd) {
    tellLeft();
  }
  mayEnd = false;
}

globalThis.document?.addEventListener("fullscreenchange", changed);

/** Call `onLeft` when a person leaves full screen: the browser handles that Escape itself. */
export function hearLeaving(onLeft) {
  tellLeft = onLeft;
  const stop = hear(window, {
    // Unloading the page leaves full screen too.
    pagehide: () => (mayEnd = true),
    // If the page stays in full screen, the flag is reset when the person is back in it.
    focus: () => (mayEnd = false),
  });
  return () => {
    tellLeft = () => {};
    stop();
  };
}
