// Dialogs that load when they are first opened.

import { useState } from "react";
import { announce } from "../announcing/announcer.jsx";
import { t } from "../languages/language.js";
import { needed } from "../shared/loading.js";

/**
 * The open dialog, an element or null, and a function that opens one by its name among the exports of `load`. The
 * dialog gets the current `props`, and those of its opening.
 * @param {() => Promise<Record<string, any>>} load
 * @param {object} [props]
 * @returns {[import("react").ReactNode, (name: string, given?: object) => Promise<void>]}
 */
export function useDialogs(load, props = {}) {
  const [opened, setOpened] = useState(null);
  const open = async (name, given = {}) => {
    const dialogs = await needed(load);
    if (dialogs) setOpened({ Dialog: dialogs[name], given });
    else announce(t("Loading failed. Try again in a moment."));
  };
  return [opened && <opened.Dialog {...props} {...opened.given} onClose={() => setOpened(null)} />, open];
}
