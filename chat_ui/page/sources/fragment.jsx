// A piece of the server's safe HTML, loaded when shown. A fragment of a streaming answer is loaded again at the
// answer's end.

import { useEffect, useRef, useState } from "react";
import { t } from "../languages/language.js";
import { Alert } from "../shared/alert.jsx";
import { Button } from "../shared/button.jsx";
import { hear } from "../shared/hearing.js";
import { fetched, untilLoaded, wordsFor } from "../shared/loading.js";
import { onEnd, RUNNING } from "../thread/answer_ends.js";
import { bringCitation } from "../thread/answer_parts.jsx";
import { markClaims } from "../thread/claim_marks.js";
import { showRemoteImage } from "../thread/remote_image.js";
import { renew } from "./renewal.js";

// The address of an image, if it cannot be shown.
const ifDamaged = (src) =>
  Object.assign(new Image(), { src })
    .decode()
    .then(() => "")
    .catch(() => src);
const answerOf = (address) => address.slice(0, address.lastIndexOf("/"));

// Large parts load when opened: a part of the fragment, or its JSON.
function fill(details, address, onFailure) {
  const { thought, json } = details.dataset;
  const part = thought ?? json;
  if (!details.open || part === undefined || details.dataset.filled) return undefined;
  details.dataset.filled = "yes";
  const load = async (signal) => {
    const thoughts = `${answerOf(address)}/thoughts`;
    const response = await fetched(`${thoughts}/${part}${json === undefined ? "" : "/json"}`, signal);
    const text = await response.text();
    const showJson = json === undefined ? null : (await import("./json_tree.js")).showJson;
    onFailure(0, false);
    if (details.loaded === text) return;
    details.loaded = text;
    for (const earlier of [...details.children].slice(1)) earlier.remove();
    if (showJson) showJson(details, text);
    else details.append(document.createRange().createContextualFragment(text));
  };
  return untilLoaded(load, (failures, isLast) => {
    onFailure(failures, isLast);
    if (!isLast) return;
    delete details.dataset.filled;
    if (!details.loaded) details.open = false;
  });
}

function scrollToActive(root) {
  const active = root.querySelector("[data-active]");
  const mark = active?.querySelector("mark") ?? active;
  mark?.scrollIntoView({ block: "center", behavior: "instant" });
}

/**
 * @param {{ address: string, onShown?: (root: HTMLElement, isRenewed: boolean) => void,
 *   onSource?: (number: number) => void, onCitation?: (use: number) => void, onStep?: (step: string) => void }} props
 */
export function Fragment({ address, onShown, onSource, onCitation, onStep }) {
  const root = useRef(null);
  const [attempt, setAttempt] = useState(0);
  const [problem, setProblem] = useState("");
  const [busy, setBusy] = useState(true);

  useEffect(() => {
    if (!address) return undefined;
    setBusy(true);
    let sent = null;
    let status = null;
    let hasEnded = false;
    const show = (html) => {
      if (html === sent) return;
      const isRenewed = sent !== null;
      sent = html;
      if (isRenewed) renew(root.current, html);
      else root.current.innerHTML = html;
      if (!isRenewed) scrollToActive(root.current);
      markClaims(answerOf(address));
      onShown?.(root.current, isRenewed);
    };
    const load = async (signal) => {
      const response = await fetched(address, signal);
      const html = await response.text();
      // A picture replaces its earlier version once it is decoded.
      const lost = await Promise.all(Array.from(html.matchAll(/<img src="(\/[^"]+)/g), ([, src]) => ifDamaged(src)));
      signal.throwIfAborted();
      status = response.headers.get("x-status");
      setProblem("");
      setBusy(false);
      show(html);
      for (const src of lost.filter(Boolean))
        root.current.querySelector(`img[src="${src}"]`)?.replaceWith(t("This image is damaged and cannot be shown."));
      if (hasEnded && status === RUNNING) throw new Error("the answer was whole before this");
    };
    const begin = () =>
      untilLoaded(load, (failures, isLast) => {
        const words = wordsFor(failures, isLast);
        setProblem(words);
        if (words) setBusy(false);
      });
    let leave = begin();
    const forget = onEnd(answerOf(address), (end) => {
      hasEnded = true;
      if (!status || status === end) return;
      leave();
      leave = begin();
    });
    return () => {
      forget();
      leave();
    };
  }, [address, attempt]);

  useEffect(() => {
    const filling = [];
    const opened = ({ target }) => {
      const stop = fill(target, address, (failures, isLast) => setProblem(wordsFor(failures, isLast)));
      if (stop) filling.push(stop);
    };
    // A toggle event does not bubble.
    const leave = hear(root.current, { toggle: opened }, true);
    return () => {
      leave();
      for (const stop of filling) stop();
    };
  }, [address]);

  const lead = async (use) => {
    await bringCitation(answerOf(address), use);
    onCitation?.(use);
  };
  const click = (event) => {
    const source = event.target.closest("[data-point]");
    if (source) onSource?.(Number(source.dataset.point));
    const citation = event.target.closest("[data-first-use]");
    if (citation) lead(Number(citation.dataset.firstUse));
    const step = event.target.closest("[data-step]");
    if (step) onStep?.(step.dataset.step);
    showRemoteImage(event, address);
  };

  return (
    <div className="fragment" onClick={click}>
      <Alert words={problem}>
        <Button onClick={() => setAttempt(attempt + 1)}>{t("Try again")}</Button>
      </Alert>
      <div ref={root} aria-busy={busy || undefined} />
    </div>
  );
}
