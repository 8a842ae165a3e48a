// The list of conversations in groups: the pinned ones, then by how long ago each was changed.

function nameOf(entry, now) {
  if (entry.pinned) return "Pinned";
  const midnight = new Date(now).setHours(0, 0, 0, 0) / 1000;
  const day = 86400;
  if (entry.updated_at >= midnight) return "Today";
  if (entry.updated_at >= midnight - day) return "Yesterday";
  if (entry.updated_at >= midnight - 7 * day) return "Last 7 days";
  if (entry.updated_at >= midnight - 30 * day) return "Last 30 days";
  const then = new Date(entry.updated_at * 1000);
  return then.toLocaleDateString(document.documentElement.lang, { month: "long", year: "numeric" });
}

/** The time of a change in few letters: its hour today, its day before that; `seconds` since 1970, `now` in milliseconds. */
export function timeOf(seconds, now) {
  const then = new Date(seconds * 1000);
  const language = document.documentElement.lang;
  return then.getTime() >= new Date(now).setHours(0, 0, 0, 0)
    ? then.toLocaleTimeString(language, { hour: "2-digit", minute: "2-digit" })
    : then.toLocaleDateString(language, { day: "numeric", month: "short" });
}

/** Entries in their order, those that follow each other in one group together; `now` is in milliseconds. */
export function grouped(entries, now, isSearch) {
  const groups = [];
  for (const entry of entries) {
    const name = isSearch ? "Found" : nameOf(entry, now);
    if (groups.at(-1)?.name !== name) groups.push({ name, entries: [] });
    groups.at(-1).entries.push(entry);
  }
  return groups;
}
