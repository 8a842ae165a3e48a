// One conversation in the list: the link to it, and its actions.

import { Pencil, Pin, PinOff, Trash2 } from "lucide-react";
import { useLayoutEffect, useRef, useState } from "react";
import { Link } from "react-router";
import { IconButton } from "../shared/icon_button.jsx";
import { pressed } from "../shared/pressed.js";

export function Entry({ entry, address, isCurrent, onOpen, onEditing, change, remove }) {
  const [editing, setEditing] = useState(false);
  const renameButton = useRef(null);

  const byKey = useRef(false);
  useLayoutEffect(() => {
    if (byKey.current && !editing) renameButton.current.focus({ preventScroll: true });
    byKey.current = false;
  }, [editing]);

  const edit = (begins) => {
    setEditing(begins);
    onEditing(begins);
  };
  const rename = (title) => {
    edit(false);
    if (title.trim() && title !== entry.title) change(entry, { title });
  };
  const tool = (label, Icon, onClick, extra) => (
    <IconButton
      label={`${label} ${entry.title}`}
      title={label}
      // Pin and Unpin are one button, wherever the list moves it.
      data-focus={`${Icon === PinOff ? "Pin" : label} ${entry.id}`}
      onClick={onClick}
      {...extra}
    >
      <Icon size={14} aria-hidden />
    </IconButton>
  );

  if (editing)
    return (
      <li className="entry">
        <input
          className="input"
          aria-label="Title"
          defaultValue={entry.title}
          maxLength={200}
          autoFocus
          onFocus={(event) => event.target.select()}
          onBlur={(event) => editing && rename(event.target.value)}
          onKeyDown={(event) => {
            const keeps = pressed(event, "Enter");
            if (!keeps && !pressed(event, "Escape")) return;
            // The same key press must not activate the element that gets the focus.
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
      <Link to={address} aria-current={isCurrent ? "page" : undefined} dir="auto" onClick={onOpen}>
        <span className="entry-title">{entry.title}</span>
        {entry.excerpt && <span className="entry-excerpt">{entry.excerpt}</span>}
      </Link>
      <span className="entry-tools">
        {tool("Rename", Pencil, () => edit(true), { ref: renameButton })}
        {tool(entry.pinned ? "Unpin" : "Pin", entry.pinned ? PinOff : Pin, () =>
          change(entry, { pinned: !entry.pinned }),
        )}
        {tool("Delete", Trash2, () => remove(entry))}
      </span>
    </li>
  );
}
