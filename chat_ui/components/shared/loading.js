// What the page shows is fetched from a server that may be restarting, or from another one than the one that just died. What
// cannot be loaded is asked for again by itself, less and less often; at once where the network is back or the page is seen.

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 30_000;
// Answers to a request that would get the same one again; what is not there may be known to another server, or in a moment.
const stays = (status) => status >= 400 && status < 500 && ![404, 408, 425, 429].includes(status);

// A response that does not have what was asked for.
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

// Makes attempts until one succeeds or fails for good; each gets a signal. `onFailure` gets how many failed, whether that
// was the last, and the error. What is returned ends them.
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
  const end = () => {
    clearTimeout(waiting);
    window.removeEventListener("online", now);
    document.removeEventListener("visibilitychange", seen);
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
  window.addEventListener("online", now);
  document.addEventListener("visibilitychange", seen);
  run();
  return () => {
    abort.abort();
    end();
  };
}

// Words for a part of the page that is not there yet: none for the first failure, which may be over in a moment.
export function wordsFor(failures, isLast) {
  if (isLast) return "This could not be loaded. ";
  return failures > 1 ? "This could not be loaded. It is tried again by itself. " : "";
}
