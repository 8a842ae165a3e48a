// A selection that starts at the first word of a recorded answer is extended to its label, so that the label is copied
// too.

/** The label of the recorded answer under `root`, if any, which precedes the text. */
export const recordedSign = (root) => root.closest("article")?.querySelector(":scope > .recorded-on") ?? null;

/** Extend the selection to the label before the browser copies it. */
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
