// A piece of safe HTML made by the server, fetched when it is shown.

import { createElement, useEffect, useRef, useState } from "react";

export function Fragment({ address, onShown }) {
  const root = useRef(null);
  const [attempt, setAttempt] = useState(0);
  const [failed, setFailed] = useState(false);

  useEffect(() => {
    if (!address) return undefined;
    const abort = new AbortController();
    root.current.setAttribute("aria-busy", "true");
    fetch(address, { credentials: "same-origin", signal: abort.signal })
      .then((response) => (response.ok ? response.text() : Promise.reject(response.status)))
      .then((html) => {
        setFailed(false);
        root.current.innerHTML = html;
        root.current.removeAttribute("aria-busy");
        const active = root.current.querySelector("[data-active]");
        const mark = active?.querySelector("mark") ?? active;
        mark?.scrollIntoView({ block: "center", behavior: "instant" });
        onShown?.(root.current);
      })
      .catch(() => {
        if (!abort.signal.aborted) setFailed(true);
      });
    return () => abort.abort();
  }, [address, attempt]);

  return createElement(
    "div",
    { className: "fragment" },
    failed &&
      createElement(
        "p",
        { role: "alert" },
        "This could not be loaded. ",
        createElement("button", { type: "button", onClick: () => setAttempt(attempt + 1) }, "Try again"),
      ),
    createElement("div", { ref: root }),
  );
}
