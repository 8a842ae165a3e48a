// Who selects a recorded answer from its first word copies the sign that it was recorded too: the selection grows by it.

/** The sign that the answer under `root` was recorded, if it was: it belongs before the answer's text. */
export const recordedSign = (root) => root.closest("article")?.querySelector(":scope > .recorded-on") ?? null;

/** Take the sign in front of the answer into the selection, before the browser copies it. */
export function selectSign() {
  const selection = getSelection();
  if (!selection.rangeCount || selection.isCollapsed) return;
  const range = selection.getRangeAt(0);
  const { startContainer: start, startOffset } = range;
  const element = start instanceof Element ? start : start.parentElement;
  const text = element?.closest(".answer-text");
  const sign = text && recordedSign(text);
  if (!sign) return;
  const before = document.createRange();
  before.setStart(text, 0);
  before.setEnd(start, startOffset);
  if (before.toString().trim()) return;
  selection.setBaseAndExtent(sign, 0, range.endContainer, range.endOffset);
}
