// The whole screen for the page, where the browser gives it.

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

/** The window of the presenter beside the page, which goes on presenting; false where the browser keeps it shut. */
export function openNotes(address) {
  const opened = window.open(address, "chat-ui-notes", "popup,width=1000,height=720");
  isLeaving = Boolean(opened && document.fullscreenElement);
  return Boolean(opened);
}

/** Call `onLeft` when a person leaves the full screen: the browser keeps that Escape for itself. */
export function hearLeaving(onLeft) {
  const changed = () => {
    if (!document.fullscreenElement && !isLeaving) onLeft();
    isLeaving = false;
  };
  // A page that goes away leaves the full screen too.
  const gone = () => (isLeaving = true);
  // A browser that left the full screen to the page did so by the time that a person is back in it.
  const back = () => (isLeaving = false);
  document.addEventListener("fullscreenchange", changed);
  window.addEventListener("pagehide", gone);
  window.addEventListener("focus", back);
  return () => {
    document.removeEventListener("fullscreenchange", changed);
    window.removeEventListener("pagehide", gone);
    window.removeEventListener("focus", back);
  };
}
