// The list of conversations. Its pages come over HTTP as one scrolls, so that a long list costs the socket nothing.

import { Pencil, Pin, PinOff, Trash2 } from "lucide-react";
import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { Link } from "react-router";
import { announce } from "../speech/announcer.jsx";
import { rememberOpener } from "../shared/focus.js";
import { fetched, untilLoaded } from "../shared/loading.js";
import { pressed } from "../shared/pressed.js";
import { NARROW, Scrim, useSheet } from "../shared/sheet.jsx";

const ADDRESS = "/api/conversations/";
const SEARCH_AFTER = 200;
const UNDO_FOR = 15000;
// What was deleted last, with the time until which that can be undone: leaving it may show the list anew.
let undoable = null;
const TOOK_TOO_LONG = 422;
const IMPORT_FAILED = "The file could not be imported. Try again in a little while.";
const MOST_IMPORTED_MB = 64;
const IMPORT_TOO_LARGE = `The file is too large to be imported: more than ${MOST_IMPORTED_MB} MB, or more than a proxy in between lets through.`;

// What came of an import, in words: the server's own where it has any.
async function importWords(response) {
  if (!response.ok) {
    const own = response.headers.get("Content-Type")?.startsWith("text/plain");
    return own ? response.text() : response.status === 413 ? IMPORT_TOO_LARGE : IMPORT_FAILED;
  }
  const { imported, refused, refusals } = await response.json();
  const words = [`Imported ${imported} conversation${imported === 1 ? "" : "s"}.`];
  for (const { where, why } of refusals) words.push(`Refused ${where}: ${why}.`);
  if (refused > refusals.length) words.push(`And ${refused - refusals.length} more were refused.`);
  return words.join("\n");
}

const request = (path, method, body) =>
  fetch(ADDRESS + path, {
    method,
    credentials: "same-origin",
    headers: body ? { "Content-Type": "application/json" } : {},
    body: body && JSON.stringify(body),
  }).then((response) => (response.ok ? response : refused(response)));

// What the server has no room for is refused with words for the person.
const NO_ROOM = 507;
const refused = (response) =>
  response.status === NO_ROOM
    ? response.text().then((words) => Promise.reject(words))
    : Promise.reject(response.status);
const wordsOf = (why) => (typeof why === "string" ? why : undefined);

function groupOf(entry, now) {
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

function Entry({ entry, isCurrent, onOpen, onEditing, change, remove }) {
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
    <button
      type="button"
      className="tool"
      aria-label={`${label} ${entry.title}`}
      // Pin and Unpin are one button, wherever the list has it by then.
      data-focus={`${Icon === PinOff ? "Pin" : label} ${entry.id}`}
      title={label}
      onClick={onClick}
      {...extra}
    >
      <Icon size={14} aria-hidden />
    </button>
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
            // What has the focus next is not to be pressed with it.
            event.preventDefault();
            event.stopPropagation();
            byKey.current = true;
            rename(keeps ? event.target.value : "");
          }}
        />
      </li>
    );
  return (
    <li className="entry" data-current={isCurrent || undefined}>
      <Link to={`/c/${entry.id}`} aria-current={isCurrent ? "page" : undefined} dir="auto" onClick={onOpen}>
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

// What goes out of here and comes in, and the way to be rid of everything.
function Taking({ current, reload, onGone }) {
  const [outcome, setOutcome] = useState("");
  const [asking, setAsking] = useState(false);
  const file = useRef(null);

  const take = (chosen) => {
    if (chosen.size > MOST_IMPORTED_MB * 1024 * 1024) {
      setOutcome(IMPORT_TOO_LARGE);
      return;
    }
    fetch(`${ADDRESS}import`, { method: "POST", credentials: "same-origin", body: chosen })
      .then(importWords)
      .then(setOutcome, () => setOutcome(IMPORT_FAILED))
      .then(reload);
  };
  const deleteAll = () =>
    request("", "DELETE").then(
      () => {
        setAsking(false);
        setOutcome("Everything of yours was deleted.");
        onGone?.("");
        reload();
      },
      () => setOutcome("It could not be deleted. Try again in a little while."),
    );
  const link = (words, href) => (
    <a href={href} download="" key={words}>
      {words}
    </a>
  );

  return (
    <details className="taking">
      <summary>Export, import, delete</summary>
      {current && (
        <p>
          {"This conversation: "}
          {link("Markdown", `${ADDRESS}${current}/export?as=markdown`)}{" "}
          {link("JSON", `${ADDRESS}${current}/export?as=json`)} {link("HTML", `${ADDRESS}${current}/export?as=html`)}
        </p>
      )}
      <p>{link("Export all", `${ADDRESS}export`)}</p>
      <p>
        <button type="button" className="button" onClick={() => file.current.click()}>
          Import a file
        </button>
        <input
          ref={file}
          type="file"
          accept=".json,application/json"
          hidden
          aria-label="File to import"
          onChange={(event) => {
            if (event.target.files[0]) take(event.target.files[0]);
            event.target.value = "";
          }}
        />
      </p>
      {asking ? (
        <p role="alert">
          {"Every conversation of yours will be gone for good. "}
          <button type="button" className="button" onClick={deleteAll}>
            Delete all of it
          </button>{" "}
          <button type="button" className="button" autoFocus onClick={() => setAsking(false)}>
            Keep it
          </button>
        </p>
      ) : (
        <p>
          <button type="button" className="button" onClick={() => setAsking(true)}>
            Delete everything of mine
          </button>
        </p>
      )}
      <p role="status">{outcome}</p>
    </details>
  );
}

export function ConversationList({ revision, current, onClose, onGone, children }) {
  const [entries, setEntries] = useState([]);
  const [next, setNext] = useState(null);
  const [state, setState] = useState("loading");
  const [words, setWords] = useState("");
  const [sought, setSought] = useState("");
  const [deleted, setDeleted] = useState(undoable && Date.now() < undoable.until ? undoable.entry : null);
  const [problem, setProblem] = useState("");
  const [changes, setChanges] = useState(0);
  const region = useRef(null);
  const end = useRef(null);
  const leave = useRef(null);
  const undo = useRef(null);
  // A list that is shown anew may have a conversation elsewhere, or not at all, while a title is typed for it.
  const editing = useRef(false);
  const isOld = useRef(false);

  const load = (after) => {
    isOld.current = editing.current;
    if (editing.current) return;
    leave.current?.();
    const query = sought ? `?q=${encodeURIComponent(sought)}` : after ? `?after=${encodeURIComponent(after)}` : "";
    // A page that follows the list of before would take the place of the list that is asked for now.
    setNext(null);
    const attempt = async (signal) => {
      const page = await (await fetched(ADDRESS + query, signal)).json();
      signal.throwIfAborted();
      if (editing.current) {
        isOld.current = true;
        return;
      }
      setEntries((shown) => (after ? [...shown, ...page.conversations] : page.conversations));
      setNext(page.next);
      setState("loaded");
      const found = page.conversations.length;
      if (sought) announce(`${found} conversation${found === 1 ? "" : "s"} found.`);
    };
    leave.current = untilLoaded(attempt, (failures, isLast, { status }) => {
      if (status === TOOK_TOO_LONG) setState("took too long");
      else if (isLast || failures > 1) setState("failed");
    });
  };
  useEffect(() => () => leave.current?.(), []);
  const reload = () => setChanges((count) => count + 1);
  const setEditing = (begins) => {
    editing.current = begins;
    if (!begins && isOld.current) load(null);
  };
  const failed = () => announce("That did not work. Try again in a little while.");
  const refusedOrFailed = (why) => (wordsOf(why) ? setProblem(why) : failed());

  useEffect(() => {
    const waiting = setTimeout(() => setSought(words.trim()), SEARCH_AFTER);
    return () => clearTimeout(waiting);
  }, [words]);
  useEffect(() => {
    load(null);
  }, [revision, sought, changes]);
  useLayoutEffect(() => {
    rememberOpener(region.current);
    // Where it is shown anew, whoever is somewhere else by now is left there.
    if (!document.activeElement.matches("body, .conversations-button")) return;
    // With a finger, the search would raise a keyboard over the list.
    const first = matchMedia("(pointer: fine)").matches ? region.current.querySelector("input") : region.current;
    first.focus({ preventScroll: true });
  }, []);
  useSheet(region);
  useEffect(() => {
    if (!next) return undefined;
    const reached = new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && load(next), {
      root: region.current,
      rootMargin: "400px",
    });
    reached.observe(end.current);
    return () => reached.disconnect();
  }, [next]);
  useLayoutEffect(() => {
    if (!deleted) return undefined;
    if (document.activeElement.matches("body, .conversation-list, .conversation-list *"))
      undo.current.focus({ preventScroll: true });
    // Whoever is about to press it has the time for that.
    const waiting = setInterval(() => document.activeElement !== undo.current && setDeleted(null), UNDO_FOR);
    return () => clearInterval(waiting);
  }, [deleted]);

  const change = (entry, values) => {
    request(entry.id, "PATCH", values).then(() => {
      setProblem("");
      reload();
    }, refusedOrFailed);
  };
  const remove = (entry) => {
    request(entry.id, "DELETE").then(() => {
      undoable = { entry, until: Date.now() + UNDO_FOR };
      setDeleted(entry);
      setProblem("");
      announce(`Deleted ${entry.title}.`);
      onGone?.(entry.id);
      reload();
    }, failed);
  };
  const restore = () => {
    request(`${deleted.id}/restore`, "POST").then(() => {
      undoable = null;
      setDeleted(null);
      setProblem("");
      announce("It is back.");
      reload();
    }, refusedOrFailed);
  };
  const phone = () => matchMedia(NARROW).matches;

  const groups = [];
  const now = Date.now();
  for (const entry of entries) {
    const name = sought ? "Found" : groupOf(entry, now);
    if (groups.at(-1)?.name !== name) groups.push({ name, entries: [] });
    groups.at(-1).entries.push(entry);
  }

  return (
    <>
      <Scrim onClose={onClose} />
      <nav
        ref={region}
        className="conversation-list"
        tabIndex={-1}
        aria-label="Conversations"
        onKeyDown={(event) => pressed(event, "Escape") && onClose?.()}
      >
        {children}
        <input
          type="search"
          className="input"
          aria-label="Search conversations"
          placeholder="Search"
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
        {deleted && (
          <p className="undo">
            <span dir="auto">{`Deleted “${deleted.title}”.`}</span>
            <button ref={undo} type="button" className="button" onClick={restore}>
              Undo
            </button>
          </p>
        )}
        {problem && (
          <p role="alert" className="list-words">
            {problem}
          </p>
        )}
        {state === "failed" && (
          <p role="alert" className="list-words">
            {"The list cannot be loaded. It is tried again by itself. "}
            <button type="button" className="button" onClick={reload}>
              Try again
            </button>
          </p>
        )}
        {state === "took too long" && (
          <p role="alert" className="list-words">
            The search took too long. Search for longer words, or for more of them.
          </p>
        )}
        {state === "loaded" && !entries.length && (
          <p className="list-words">{sought ? "Nothing was found." : "There is no conversation yet."}</p>
        )}
        {groups.map((group) => (
          <section key={group.name} aria-label={group.name}>
            <h3>{group.name}</h3>
            <ul>
              {group.entries.map((entry) => (
                <Entry
                  key={entry.id}
                  entry={entry}
                  isCurrent={entry.id === current}
                  onOpen={() => phone() && onClose?.()}
                  onEditing={setEditing}
                  change={change}
                  remove={remove}
                />
              ))}
            </ul>
          </section>
        ))}
        <div ref={end} className="list-end" />
        <Taking current={current} reload={reload} onGone={onGone} />
      </nav>
    </>
  );
}
