// Moments as the language of the page writes them.

import { locale } from "../languages/language.js";

/** @param {number} seconds since 1970 */
export const momentOf = (seconds) =>
  new Date(seconds * 1000).toLocaleString(locale(), { dateStyle: "long", timeStyle: "short" });

/** The time of day, with seconds. @param {number} seconds since 1970 */
export const clockOf = (seconds) => new Date(seconds * 1000).toLocaleTimeString(locale(), { timeStyle: "medium" });
