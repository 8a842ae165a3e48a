// Copies the text that an address answers with. The clipboard is asked within the click, as browsers want it.

import { createElement, useState } from "react";
import { announce } from "./announcer.js";

export function CopyButton({ address, label, children }) {
  const [copied, setCopied] = useState(false);

  const copy = async () => {
    const text = fetch(address, { credentials: "same-origin" }).then((response) =>
      response.ok ? response.text() : Promise.reject(response.status),
    );
    try {
      const blob = text.then((words) => new Blob([words], { type: "text/plain" }));
      await navigator.clipboard.write([new ClipboardItem({ "text/plain": blob })]);
      setCopied(true);
      announce("Copied.");
      setTimeout(() => setCopied(false), 2000);
    } catch {
      announce("The browser does not let this page copy.");
    }
  };

  return createElement(
    "button",
    { type: "button", className: "tool", "aria-label": label, title: label, "data-copied": copied || undefined, onClick: copy },
    children,
  );
}
