// A conversation in the list: its link, the time of its last change, and a menu of actions.

import { Ellipsis, Hand, Link2, Pin } from "lucide-react";
import { useLayoutEffect, useRef, useState } from "react";
import { Link } from "react-router";
import { allows } from "../painted/options.js";
import { run } from "../commands/commands.js";
import { t } from "../languages/language.js";
import { IconButton } from "../shared/button.jsx";
import { Menu } from "../shared/menu.jsx";
import { pressed } from "../shared/hearing.js";
import { changedAt } from "./groups.js";

// Storage key of the edited title, for the next page or list.
const TYPED_TITLE = "chat-ui-title";
const typedTitle = (id) => JSON.parse(sessionStorage.getItem(TYPED_TITLE))?.[id];

export function Entry({ entry, address, isCurrent, onOpen, onEditing, change, remove }) {
  const [editing, setEditing] = useState(() => typedTitle(entry.id) !== undefined);
  const options = useRef(null);

  const byKey = useRef(false);
  useLayoutEffect(() => {
    if (editing) onEditing(true);
  }, []);
  useLayoutEffect(() => {
    if (byKey.current && !editing) options.current.focus({ preventScroll: true });
    byKey.current = false;
  }, [editing]);

  const edit = (begins) => {
    setEditing(begins);
    onEditing(begins);
  };
  const rename = (title) => {
    sessionStorage.removeItem(TYPED_TITLE);
    edit(false);
    if (title.trim() && title !== entry.title) change(entry, { title });
  };
  const items = [
    { label: t("Rename"), onSelect: () => edit(true) },
    { label: entry.pinned ? t("Unpin") : t("Pin"), onSelect: () => change(entry, { pinned: !entry.pinned }) },
    allows("shared_links") && {
      label: t("Share…"),
      onSelect: () => run("share", { id: entry.id, title: entry.title }),
    },
    allows("exporting") && { label: t("Export…"), onSelect: () => run("export", entry.id) },
    { label: t("Delete"), onSelect: () => remove(entry), danger: true },
  ].filter(Boolean);

  if (editing)
    return (
      <li className="entry">
        <input
          className="input"
          aria-label={t("Title")}
          defaultValue={typedTitle(entry.id) ?? entry.title}
          onInput={(event) =>
            sessionStorage.setItem(TYPED_TITLE, JSON.stringify({ [entry.id]: event.currentTarget.value }))
          }
          maxLength={200}
          autoComplete="off"
          enterKeyHint="done"
          autoFocus
          onFocus={({ target }) => target.setSelectionRange(0, target.value.length, "backward")}
          onBlur={(event) => editing && rename(event.target.value)}
          onKeyDown={(event) => {
            const keeps = pressed(event, "Enter");
            if (!keeps && !pressed(event, "Escape")) return;
            // The same key press must not activate the newly focused element.
            event.preventDefault();
            event.stopPropagation();
            byKey.current = true;
            rename(keeps ? event.currentTarget.value : "");
          }}
        />
      </li>
    );
  return (
    <li className="entry" data-current={isCurrent || undefined}>
      <Link
        to={address}
        aria-current={isCurrent ? "page" : undefined}
        dir="auto"
        onClick={(event) => onOpen(event, address)}
      >
        <span className="entry-title">
          {entry.pinned && <Pin size={12} className="entry-pin" role="img" aria-label={t("Pinned")} />}
          {entry.shared && <Link2 size={13} className="entry-pin" role="img" aria-label={t("Shared by link")} />}
          {entry.waiting && <Hand size={13} className="entry-pin" role="img" aria-label={t("Waiting for you")} />}
          {entry.title}
        </span>
        {entry.excerpt && <span className="entry-excerpt">{entry.excerpt}</span>}
      </Link>
      <time className="entry-time" dateTime={new Date(entry.updated_at * 1000).toISOString()}>
        {changedAt(entry.updated_at, Date.now())}
      </time>
      <span className="entry-tools">
        <Menu
          button={
            <IconButton
              ref={options}
              label={t("Options of {title}", { title: entry.title })}
              title={t("Options")}
              data-focus={`Options of ${entry.id}`}
              sign={Ellipsis}
            />
          }
          items={items}
        />
      </span>
    </li>
  );
}
