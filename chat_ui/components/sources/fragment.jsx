// A piece of the server's safe HTML, fetched when it is shown.

import { useEffect, useRef, useState } from "react";
import { markPassages } from "../speech/languages.js";
import { fetched, untilLoaded, wordsFor } from "../shared/loading.js";
import { showRemoteImage } from "../thread/remote_image.js";

// Large parts load when they are opened: a part of the fragment, or the JSON behind it.
function fill(details, address, onFailure) {
  const { thought, json } = details.dataset;
  const part = thought ?? json;
  if (!details.open || part === undefined || details.dataset.filled) return undefined;
  details.dataset.filled = "yes";
  const load = async (signal) => {
    const response = await fetched(`${address}/${part}${json === undefined ? "" : "/json"}`, signal);
    if (json === undefined) details.append(document.createRange().createContextualFragment(await response.text()));
    else (await import("./json_tree.js")).showJson(details, await response.json());
    onFailure(0, false);
  };
  return untilLoaded(load, (failures, isLast) => {
    onFailure(failures, isLast);
    if (!isLast) return;
    delete details.dataset.filled;
    details.open = false;
  });
}

/** @param {{ address: string, onShown?: (root: HTMLElement) => void, onSource?: (number: number) => void }} props */
export function Fragment({ address, onShown, onSource }) {
  const root = useRef(null);
  const [attempt, setAttempt] = useState(0);
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(true);

  useEffect(() => {
    if (!address) return undefined;
    setBusy(true);
    const load = async (signal) => {
      const html = await (await fetched(address, signal)).text();
      signal.throwIfAborted();
      setProblem("");
      root.current.innerHTML = html;
      markPassages(root.current);
      setBusy(false);
      const active = root.current.querySelector("[data-active]");
      const mark = active?.querySelector("mark") ?? active;
      mark?.scrollIntoView({ block: "center", behavior: "instant" });
      onShown?.(root.current);
    };
    return untilLoaded(load, (failures, isLast) => {
      const words = wordsFor(failures, isLast);
      setProblem(words);
      if (words) setBusy(false);
    });
  }, [address, attempt]);

  useEffect(() => {
    const filling = [];
    const opened = ({ target }) => {
      const stop = fill(target, address, (failures, isLast) => setProblem(wordsFor(failures, isLast)));
      if (stop) filling.push(stop);
    };
    const place = root.current;
    // A toggle event does not bubble.
    place.addEventListener("toggle", opened, true);
    return () => {
      place.removeEventListener("toggle", opened, true);
      for (const stop of filling) stop();
    };
  }, [address]);

  const click = (event) => {
    const source = event.target.closest("[data-point]");
    if (source) onSource?.(Number(source.dataset.point));
    showRemoteImage(event, address);
  };

  return (
    <div className="fragment" onClick={click}>
      {problem && (
        <p role="alert">
          {problem}
          <button type="button" onClick={() => setAttempt(attempt + 1)}>
            Try again
          </button>
        </p>
      )}
      <div ref={root} aria-busy={busy || undefined} />
    </div>
  );
}
