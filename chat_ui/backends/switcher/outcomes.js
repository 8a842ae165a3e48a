// The outcome of the last question to a backend, in words, and the order of a person's backends.

import { dayOf, locale, t, timeOf } from "../../page/languages/language.js";

// Translators: {when} is a moment or how long ago that was, such as “5 minutes ago” or “on 3 May, 14:05”.
const WORDS = {
  answered: (when) => t("Answered {when}", { when }),
  flawed: (when) => t("Answered with problems {when}", { when }),
  failed: (when) => t("Failed {when}", { when }),
};
/** @type {["day" | "hour" | "minute", number][]} */
const UNITS = [
  ["day", 86400],
  ["hour", 3600],
  ["minute", 60],
];

/** The time since then in words; both times are in seconds. */
export function ago(at, now) {
  const past = Math.max(0, now - at);
  const unit = UNITS.find(([, seconds]) => past >= seconds);
  if (!unit) return t("just now");
  const words = new Intl.RelativeTimeFormat(locale(), { numeric: "auto" });
  return words.format(-Math.floor(past / unit[1]), unit[0]);
}

/** The outcome and its time, in the words of `when`. */
export const inWords = (last, when) => (last?.outcome ? WORDS[last.outcome](when(last.at)) : t("Not asked yet"));

/** The time of day, with the day unless today, and its year unless this one. */
export function moment(at) {
  const then = new Date(at * 1000);
  const now = new Date();
  const isToday = then.toDateString() === now.toDateString();
  const time = timeOf(then);
  if (isToday) return t("at {time}", { time });
  return t("on {day}, {time}", { day: dayOf(then, then.getFullYear() !== now.getFullYear()), time });
}

/** Backends as pairs of id and name, a person's own separate, the last used first. */
export function inGroups(offered, outcomes) {
  const isOwn = ([id]) => id.startsWith("own:");
  const usedAt = ([id]) => outcomes[id]?.used_at ?? 0;
  const own = offered.filter(isOwn).sort((one, other) => usedAt(other) - usedAt(one));
  return { given: offered.filter((one) => !isOwn(one)), own };
}
