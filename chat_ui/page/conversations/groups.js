// The list of conversations in groups: pinned ones, then by the age of their last change.

import { locale, t, timeOf } from "../languages/language.js";

function nameOf(entry, now) {
  if (entry.pinned) return t("Pinned");
  const midnight = new Date(now).setHours(0, 0, 0, 0) / 1000;
  const day = 86400;
  if (entry.updated_at >= midnight) return t("Today");
  if (entry.updated_at >= midnight - day) return t("Yesterday");
  if (entry.updated_at >= midnight - 7 * day) return t("Last 7 days");
  if (entry.updated_at >= midnight - 30 * day) return t("Last 30 days");
  const then = new Date(entry.updated_at * 1000);
  return then.toLocaleDateString(locale(), { month: "long", year: "numeric" });
}

/** The short time of a change: the hour if today, else the day; `seconds` since 1970, `now` in milliseconds. */
export function changedAt(seconds, now) {
  const then = new Date(seconds * 1000);
  return then.getTime() >= new Date(now).setHours(0, 0, 0, 0)
    ? timeOf(then)
    : then.toLocaleDateString(locale(), { day: "numeric", month: "short" });
}

/** Entries in order, grouped with their neighbours; `now` is in milliseconds. */
export function grouped(entries, now, isSearch) {
  const groups = [];
  for (const entry of entries) {
    const name = isSearch ? t("Found") : nameOf(entry, now);
    if (groups.at(-1)?.name !== name) groups.push({ name, entries: [] });
    groups.at(-1).entries.push(entry);
  }
  return groups;
}
