// The whole screen for the page, where the browser gives it.

// What leaves the full screen on purpose: a window that opens takes it away.
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

/** The window of the presenter beside the page, which goes on presenting. */
export function openNotes(address) {
  isLeaving = true;
  window.open(address, "chat-ui-notes", "popup,width=1000,height=720");
}

/** Call `onLeft` when a person leaves the full screen: the browser keeps that Escape for itself. */
export function hearLeaving(onLeft) {
  const changed = () => {
    if (!document.fullscreenElement && !isLeaving) onLeft();
  };
  // A page that goes away leaves the full screen too.
  const gone = () => (isLeaving = true);
  document.addEventListener("fullscreenchange", changed);
  window.addEventListener("pagehide", gone);
  return () => {
    document.removeEventListener("fullscreenchange", changed);
    window.removeEventListener("pagehide", gone);
  };
}
