// The one live region of the page: whatever a screen reader should hear without moving to it is said here.

import { createElement } from "react";

const ID = "announcements";

export function announce(text) {
  const region = document.getElementById(ID);
  const words = text.trim().replace(/\s+/g, " ");
  if (!region || !words) return;
  const line = document.createElement("p");
  line.textContent = words;
  region.append(line);
  while (region.children.length > 5) region.firstChild.remove();
}

export function Announcer() {
  return createElement("div", { id: ID, className: "visually-hidden", "aria-live": "polite", role: "status" });
}
