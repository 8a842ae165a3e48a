// The newest file of a recording that a person gave: what is said of it. What sends it loads with the first one.

import { useRef, useState } from "react";
import { t } from "../languages/language.js";
import { needed } from "../shared/loading.js";

const NOTHING = { words: "", isProblem: false, isTaking: false };

/**
 * What is said of the newest file, whether that went wrong or is still being taken, what takes one, and what cancels that.
 * @param {string} address
 * @param {(id: string) => void} onTaken
 */
export function useTakenFile(address, onTaken) {
  const [said, setSaid] = useState(NOTHING);
  const taking = useRef(/** @type {AbortController | null} */ (null));
  const forget = () => {
    taking.current?.abort();
    setSaid(NOTHING);
  };
  const fail = (words) => setSaid({ words, isProblem: true, isTaking: false });
  const take = async (file) => {
    forget();
    taking.current = new AbortController();
    const { signal } = taking.current;
    setSaid({ words: t("Taking {name}…", { name: file.name }), isProblem: false, isTaking: true });
    const loaded = await needed(() => import("./taking.js"));
    if (signal.aborted) return;
    if (!loaded) return fail(t("That could not be loaded. Try again in a little while."));
    const id = await loaded.taken(address, file, signal, fail);
    if (!id) return;
    setSaid(NOTHING);
    onTaken(id);
  };
  return { ...said, take, forget };
}
