// A piece of safe HTML made by the server, fetched when it is shown.

import { createElement, useEffect, useRef, useState } from "react";
import { showRemoteImage } from "./remote_image.js";

// What is large comes when it is opened: a part of the fragment, or the JSON behind it.
async function fill(details, address) {
  const { thought, json } = details.dataset;
  const part = thought ?? json;
  if (!details.open || part === undefined || details.dataset.filled) return;
  details.dataset.filled = "yes";
  const response = await fetch(`${address}/${part}${json === undefined ? "" : "/json"}`, { credentials: "same-origin" });
  if (!response.ok) throw new Error(response.status);
  if (json === undefined) details.append(document.createRange().createContextualFragment(await response.text()));
  else (await import("./json_tree.js")).showJson(details, await response.json());
}

export function Fragment({ address, onShown, onSource }) {
  const root = useRef(null);
  const [attempt, setAttempt] = useState(0);
  const [failed, setFailed] = useState(false);
  const [busy, setBusy] = useState(true);

  useEffect(() => {
    if (!address) return undefined;
    const abort = new AbortController();
    setBusy(true);
    fetch(address, { credentials: "same-origin", signal: abort.signal })
      .then((response) => (response.ok ? response.text() : Promise.reject(response.status)))
      .then((html) => {
        setFailed(false);
        root.current.innerHTML = html;
        setBusy(false);
        const active = root.current.querySelector("[data-active]");
        const mark = active?.querySelector("mark") ?? active;
        mark?.scrollIntoView({ block: "center", behavior: "instant" });
        onShown?.(root.current);
      })
      .catch(() => {
        if (abort.signal.aborted) return;
        setFailed(true);
        setBusy(false);
      });
    return () => abort.abort();
  }, [address, attempt]);

  useEffect(() => {
    const opened = ({ target }) =>
      fill(target, address).catch(() => {
        delete target.dataset.filled;
        target.open = false;
        setFailed(true);
      });
    const place = root.current;
    // A toggle does not bubble.
    place.addEventListener("toggle", opened, true);
    return () => place.removeEventListener("toggle", opened, true);
  }, [address]);

  const click = (event) => {
    const source = event.target.closest("[data-point]");
    if (source) onSource?.(Number(source.dataset.point));
    showRemoteImage(event, address);
  };

  return createElement(
    "div",
    { className: "fragment", onClick: click },
    failed &&
      createElement(
        "p",
        { role: "alert" },
        "This could not be loaded. ",
        createElement("button", { type: "button", onClick: () => setAttempt(attempt + 1) }, "Try again"),
      ),
    createElement("div", { ref: root, "aria-busy": busy || undefined }),
  );
}
