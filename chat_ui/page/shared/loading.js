// Requests to a server that may be restarting, or to another one after a crash. What the page shows is loaded by
// retries with increasing pauses, and at once when the network returns or the page becomes visible.

import { useEffect, useState } from "react";
import { t } from "../languages/language.js";
import { hear } from "./hearing.js";

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 30_000;
// Statuses that a retry would get again. A 404 is excluded: another server may know the resource, or know it soon.
export const stays = (status) => status >= 400 && status < 500 && ![404, 408, 425, 429].includes(status);

// A response without the requested content.
export class NotLoaded extends Error {
  constructor(response) {
    super(`status ${response.status}`);
    this.status = response.status;
    this.isFinal = stays(response.status);
    this.pause = 1000 * (Number(response.headers.get("retry-after")) || 0);
  }
}

export async function fetched(address, signal) {
  const response = await fetch(address, { credentials: "same-origin", signal });
  if (!response.ok) throw new NotLoaded(response);
  return response;
}

// Retries until an attempt succeeds or fails permanently; each gets a signal. `onFailure` gets the number of failures,
// whether this was the last, and the error. The returned function cancels the attempts.
export function untilLoaded(attempt, onFailure) {
  const abort = new AbortController();
  let waiting = 0;
  let failures = 0;
  const now = () => {
    if (!waiting) return;
    clearTimeout(waiting);
    waiting = 0;
    run();
  };
  const seen = () => document.visibilityState === "visible" && now();
  const deaf = [hear(window, { online: now }), hear(document, { visibilitychange: seen })];
  const end = () => {
    clearTimeout(waiting);
    for (const leave of deaf) leave();
  };
  const run = () =>
    attempt(abort.signal).then(end, (error) => {
      if (abort.signal.aborted) return;
      failures += 1;
      const isLast = error.isFinal === true;
      if (isLast) end();
      else {
        const pause = Math.min(LONGEST_PAUSE, FIRST_PAUSE * 2 ** (failures - 1)) * (0.75 + Math.random() / 2);
        waiting = setTimeout(now, Math.max(pause, error.pause ?? 0));
      }
      onFailure?.(failures, isLast, error);
    });
  run();
  return () => {
    abort.abort();
    end();
  };
}

/**
 * The exports of a script that loads when needed; null if it cannot be loaded. A retry opens a new connection, as
 * kept-alive ones may just have been closed.
 * @template Exports
 * @param {() => Promise<Exports>} load
 * @returns {Promise<Exports | null>}
 */
export const needed = (load) =>
  load()
    .catch(load)
    .catch((error) => {
      console.warn(error);
      return null;
    });

// The notice for a part of the page that is not loaded yet; empty at the first failure, which may be brief.
export function wordsFor(failures, isLast) {
  if (isLast) return t("Could not be loaded.");
  return failures > 1 ? t("Could not be loaded. Retrying…") : "";
}

/** The JSON at `address`. */
export const fetchedJson = async (address, signal) => (await fetched(address, signal)).json();

/**
 * The `value` of `load`, loaded again after each change of its `causes`. It is null until loaded; `problem` is then the
 * notice.
 * @param {(signal: AbortSignal) => Promise<any>} load
 * @param {unknown[]} causes
 */
export function useLoaded(load, causes) {
  const [value, setValue] = useState(null);
  const [problem, setProblem] = useState("");
  useEffect(() => {
    const attempt = async (signal) => {
      const loaded = await load(signal);
      signal.throwIfAborted();
      setValue(loaded);
      setProblem("");
    };
    return untilLoaded(attempt, (failures, isLast) => setProblem(wordsFor(failures, isLast)));
  }, causes);
  return { value, setValue, problem };
}

// Statuses of refusals with a text of the server for the person; a proxy in between has its own pages.
const SAY_WHY = [409, 422, 429, 507];
const refused = (response) =>
  SAY_WHY.includes(response.status) && response.headers.get("Content-Type")?.startsWith("text/plain")
    ? response.text().then((words) => Promise.reject(words))
    : Promise.reject(response.status);

/** Send a request with `method` to `address`; rejects with the server's text if available, else with its status. */
export const request = (address, method, body = undefined, options = {}) =>
  fetch(address, {
    ...options,
    method,
    credentials: "same-origin",
    headers: body ? { "Content-Type": "application/json" } : {},
    body: body && JSON.stringify(body),
  }).then((response) => (response.ok ? response : refused(response)));

/** The text for the person in the error `why`, if any. */
export const wordsOf = (why) => (typeof why === "string" ? why : undefined);

/** Have the browser download the file at `address`. */
export function download(address) {
  const link = document.createElement("a");
  link.href = address;
  link.download = "";
  link.click();
}
