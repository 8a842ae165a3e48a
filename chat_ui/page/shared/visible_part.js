// The area above a soft keyboard, as CSS variables. Most browsers resize the page for the keyboard, as the document
// requests (`interactive-widget`). Safari keeps the page's height, lays the keyboard over it, and scrolls the visual
// viewport to the field.

import { useEffect } from "react";
import { hear } from "./hearing.js";

const TYPED_IN = "input, textarea, select, [contenteditable]";
// Tolerance in pixels and in scale, below which neither a keyboard nor a zoom is assumed.
const CLOSE = 1;
const UNZOOMED = 1.01;

const set = (name, pixels) => document.documentElement.style.setProperty(name, `${pixels}px`);
const unset = (name) => document.documentElement.style.removeProperty(name);

const isTyping = () => document.activeElement.matches(TYPED_IN);

/** Keep the focused field visible after a change of the page's height. */
const follow = () =>
  requestAnimationFrame(() => isTyping() && document.activeElement.scrollIntoView({ block: "nearest" }));

function watch(part) {
  const root = document.documentElement;
  let before = part.height;
  const look = () => {
    // A pinch zoom shrinks the visual viewport by the scale; a keyboard does at any scale.
    const height = part.height * part.scale;
    const isKeyboard = root.clientHeight - height > CLOSE && isTyping();
    const top = isKeyboard && part.scale < UNZOOMED ? part.offsetTop : 0;
    root.toggleAttribute("data-keyboard", isKeyboard);
    if (isKeyboard) {
      set("--visible-height", height);
      set("--visible-top", top);
      set("--covered", Math.max(0, root.clientHeight - height - top));
    } else ["--visible-height", "--visible-top", "--covered"].forEach(unset);
    if (height < before - CLOSE && matchMedia("(pointer: coarse)").matches) follow();
    before = height;
  };
  return hear(part, { resize: look, scroll: look });
}

export function VisiblePart() {
  useEffect(() => window.visualViewport && watch(window.visualViewport), []);
  return null;
}
