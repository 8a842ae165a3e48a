/** The sign that the answer under `root` was recorded, if it was: it belongs before the answer's text. */
export const recordedSign = (root) => root.closest("article")?.querySelector(":scope > .recorded-on") ?? null;
