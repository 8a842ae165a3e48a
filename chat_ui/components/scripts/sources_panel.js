// The region beside the conversation. It takes the focus when it opens, gives it back when it closes, and Escape closes.

import { createElement, useEffect, useRef } from "react";
import { Fragment } from "./fragment.js";

export function SourcesPanel({ address, onClose, children }) {
  const region = useRef(null);
  const opener = useRef(null);

  useEffect(() => {
    if (document.activeElement !== document.body) opener.current = document.activeElement;
    region.current.focus({ preventScroll: true });
  }, [address]);

  useEffect(
    () => () => {
      if (opener.current?.isConnected) opener.current.focus({ preventScroll: true });
    },
    [],
  );

  const key = (event) => {
    if (event.key === "Escape") {
      event.stopPropagation();
      onClose?.();
    }
  };

  return createElement(
    "section",
    { ref: region, className: "sources-panel", "aria-label": "Sources", tabIndex: -1, onKeyDown: key },
    children,
    createElement(Fragment, { address }),
  );
}
