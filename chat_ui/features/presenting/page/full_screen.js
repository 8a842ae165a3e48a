// The whole screen for the page, where the browser gives it.

import { t } from "../../../page/languages/language.js";
import { hear } from "../../../page/shared/hearing.js";

// Whether the full screen is left on purpose: a window that opens takes it away.
let isLeaving = false;

export function fillScreen() {
  isLeaving = false;
  if (document.fullscreenElement || !document.fullscreenEnabled) return;
  // A browser that refuses leaves the page in its window, which is all the same to it.
  document.documentElement.requestFullscreen({ navigationUI: "hide" }).catch(() => {});
}

export function leaveScreen() {
  isLeaving = true;
  if (document.fullscreenElement) document.exitFullscreen().catch(() => {});
}

/** Open the presenter's window beside the page, which goes on presenting; returns the problem in words, if there is one. */
export function openNotes(address) {
  const opened = window.open(address, "chat-ui-notes", "popup,width=1000,height=720");
  isLeaving = Boolean(opened && document.fullscreenElement);
  return opened ? "" : t("The browser kept the window shut. Allow windows for this page, then open it again.");
}

/** Call `onLeft` when a person leaves the full screen: the browser keeps that Escape for itself. */
export function hearLeaving(onLeft) {
  const changed = () => {
    if (!document.fullscreenElement && !isLeaving) onLeft();
    isLeaving = false;
  };
  const leavePage = hear(document, { fullscreenchange: changed });
  const leaveWindow = hear(window, {
    // A page that goes away leaves the full screen too.
    pagehide: () => (isLeaving = true),
    // A browser that left the full screen to the page did so by the time that a person is back in it.
    focus: () => (isLeaving = false),
  });
  return () => {
    leavePage();
    leaveWindow();
  };
}
