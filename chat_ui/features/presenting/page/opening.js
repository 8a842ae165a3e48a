// The part that a step opens, in words.

import { t } from "../../../page/languages/language.js";

/** @param {import("./presentation.js").Opening | null} opening */
export function openingWords(opening) {
  if (!opening) return "";
  const number = opening.number ?? 0;
  if (opening.what === "sources") return t("Opens the sources");
  if (opening.what === "thoughts") return t("Opens the thoughts");
  return opening.what === "citation"
    ? t("Opens citation {number}", { number })
    : t("Opens document {number}", { number });
}
