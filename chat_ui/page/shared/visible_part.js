// The part of the page that a soft keyboard leaves in sight, as variables of the stylesheets. Where the keyboard makes the
// page itself smaller, as the document asks for (`interactive-widget`), there is nothing to do. Safari keeps the page as
// high as it is, lays the keyboard over it, and moves what is in sight up to the field.

import { useEffect } from "react";
import { hear } from "./hearing.js";

const TYPED_IN = "input, textarea, select, [contenteditable]";
// Pixels that are no keyboard, and a scale that is none.
const CLOSE = 1;
const UNZOOMED = 1.01;

const set = (name, pixels) => document.documentElement.style.setProperty(name, `${pixels}px`);
const unset = (name) => document.documentElement.style.removeProperty(name);

const isTyping = () => document.activeElement.matches(TYPED_IN);

/** Keep the field that is typed in in sight, once the page has its new height. */
const follow = () =>
  requestAnimationFrame(() => isTyping() && document.activeElement.scrollIntoView({ block: "nearest" }));

function watch(part) {
  const root = document.documentElement;
  let before = part.height;
  const look = () => {
    // Two fingers that zoom in make the part smaller by the scale; a keyboard, whatever the scale.
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
