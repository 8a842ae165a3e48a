// Who selects a recorded answer from its first word copies the sign that it was recorded too: the selection grows by it.

import { recordedSign } from "../speech/recorded_sign.js";

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
