// A tab that is duplicated has the showing of the first one, and must not ask its questions as well. The first tab holds a lock
// as long as it is open; once it is loaded again, it gets that back when its former page has let go.

import { useEffect } from "react";
import { become } from "./showing.js";

// Milliseconds that a page waits for what a former page of its tab held.
const PATIENCE = 1500;
const TAKEN = "another tab has this";

/** Have the showing `id` be another one here if another tab has it. */
export function useOnlyTab(id) {
  useEffect(() => {
    if (!navigator.locks || !id) return undefined;
    const over = new AbortController();
    const late = setTimeout(() => over.abort(TAKEN), PATIENCE);
    const hold = () => {
      clearTimeout(late);
      return new Promise((_, leave) => over.signal.addEventListener("abort", leave));
    };
    navigator.locks.request(`chat-ui-presenting-${id}`, { signal: over.signal }, hold).catch(() => {
      if (over.signal.reason === TAKEN) become();
    });
    return () => {
      clearTimeout(late);
      over.abort();
    };
  }, [id]);
}
