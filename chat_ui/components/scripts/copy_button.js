// Copies the text that an address answers with, and beside it the rich text that another does, where there is one. The clipboard is asked within the click, as browsers want it.

import { createElement, useState } from "react";
import { announce } from "./announcer.js";

export function CopyButton({ address, rich, label, children }) {
  const [copied, setCopied] = useState(false);

  const copy = async () => {
    const blob = async (from, type) => {
      const response = await fetch(from, { credentials: "same-origin" });
      if (!response.ok) throw new Error(response.status);
      return new Blob([await response.text()], { type });
    };
    try {
      const forms = { "text/plain": blob(address, "text/plain") };
      if (rich) forms["text/html"] = blob(rich, "text/html");
      await navigator.clipboard.write([new ClipboardItem(forms)]);
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
