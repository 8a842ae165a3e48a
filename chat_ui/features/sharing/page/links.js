// A person's links to shared conversations, in the server's format.

import { dayOf, locale, t } from "../../../page/languages/language.js";

/** @typedef {{ id: string, conversation: string, title: string, made_at: number, ends_at: number, path: string | null }} Link */
/** @typedef {{ readers: "anyone" | "signed-in", days: number[], links: Link[] }} Links */

/** The full address of a link, with the origin of this page. @param {Link} link */
export const addressOf = ({ path }) => new URL(path ?? "", location.origin).href;

/** @param {number} seconds since 1970 */
export const dateOf = (seconds) => dayOf(new Date(seconds * 1000));

/** @param {number} seconds since 1970 */
export const momentOf = (seconds) =>
  new Date(seconds * 1000).toLocaleString(locale(), { dateStyle: "long", timeStyle: "short" });

const OF_THIS_MACHINE = ["localhost", "127.0.0.1", "[::1]"];

/** The readers of shared links, in words. @param {Links["readers"]} readers */
export function readersInWords(readers) {
  if (readers === "signed-in") return t("Anyone who has the link and is signed in can open it.");
  if (OF_THIS_MACHINE.includes(location.hostname)) return t("Anyone using this computer can open the link.");
  return t("Anyone with the link can open it.");
}
