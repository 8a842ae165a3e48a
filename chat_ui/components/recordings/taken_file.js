// The newest file of a recording that a person gave: what is said of it. What sends it loads with the first one.

import { useState } from "react";
import { t } from "../languages/language.js";
import { needed } from "../shared/loading.js";

/**
 * What is said of the newest file, whether that went wrong, and what takes one.
 * @param {string} address
 * @param {(id: string) => void} onTaken
 */
export function useTakenFile(address, onTaken) {
  const [said, setSaid] = useState({ words: "", isProblem: false });
  const say = (words, isProblem = false) => setSaid({ words, isProblem });
  const take = async (file) => {
    const loaded = await needed(() => import("./taking.js"));
    if (!loaded) return say(t("That could not be loaded. Try again in a little while."), true);
    const id = await loaded.taken(address, file, say);
    if (id) onTaken(id);
  };
  return { ...said, take, forget: () => say("") };
}
