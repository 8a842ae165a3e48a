// The list of conversations. Its pages come over HTTP as one scrolls, so that a long list costs the socket nothing.

import { Pencil, Pin, PinOff, Trash2 } from "lucide-react";
import { createElement, useEffect, useRef, useState } from "react";
import { Link } from "react-router";
import { announce } from "./announcer.js";

const ADDRESS = "/api/conversations/";
const SEARCH_AFTER = 200;
const UNDO_FOR = 15000;
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

function Entry({ entry, isCurrent, onOpen, change, remove }) {
  const [editing, setEditing] = useState(false);
  const renameButton = useRef(null);

  const rename = (title) => {
    setEditing(false);
    if (title.trim() && title !== entry.title) change(entry, { title });
    requestAnimationFrame(() => renameButton.current?.focus());
  };
  const tool = (label, icon, onClick, extra) =>
    createElement(
      "button",
      { type: "button", className: "tool", "aria-label": `${label} ${entry.title}`, title: label, onClick, ...extra },
      createElement(icon, { size: 14, "aria-hidden": true }),
    );

  if (editing)
    return createElement(
      "li",
      { className: "entry" },
      createElement("input", {
        className: "input",
        "aria-label": "Title",
        defaultValue: entry.title,
        maxLength: 200,
        autoFocus: true,
        onFocus: (event) => event.target.select(),
        onBlur: (event) => editing && rename(event.target.value),
        onKeyDown: (event) => {
          if (event.key === "Enter" && !event.nativeEvent.isComposing) rename(event.target.value);
          if (event.key === "Escape") {
            event.stopPropagation();
            rename("");
          }
        },
      }),
    );
  return createElement(
    "li",
    { className: "entry", "data-current": isCurrent || undefined },
    createElement(
      Link,
      { to: `/c/${entry.id}`, "aria-current": isCurrent ? "page" : undefined, dir: "auto", onClick: onOpen },
      createElement("span", { className: "entry-title" }, entry.title),
      entry.excerpt && createElement("span", { className: "entry-excerpt" }, entry.excerpt),
    ),
    createElement(
      "span",
      { className: "entry-tools" },
      tool("Rename", Pencil, () => setEditing(true), { ref: renameButton }),
      tool(entry.pinned ? "Unpin" : "Pin", entry.pinned ? PinOff : Pin, () => change(entry, { pinned: !entry.pinned })),
      tool("Delete", Trash2, () => remove(entry)),
    ),
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
  const link = (words, href) => createElement("a", { href, download: "", key: words }, words);

  return createElement(
    "details",
    { className: "taking" },
    createElement("summary", null, "Export, import, delete"),
    current &&
      createElement(
        "p",
        null,
        "This conversation: ",
        link("Markdown", `${ADDRESS}${current}/export?as=markdown`),
        " ",
        link("JSON", `${ADDRESS}${current}/export?as=json`),
        " ",
        link("HTML", `${ADDRESS}${current}/export?as=html`),
      ),
    createElement("p", null, link("Export all", `${ADDRESS}export`)),
    createElement(
      "p",
      null,
      createElement(
        "button",
        { type: "button", className: "button", onClick: () => file.current.click() },
        "Import a file",
      ),
      createElement("input", {
        ref: file,
        type: "file",
        accept: ".json,application/json",
        hidden: true,
        "aria-label": "File to import",
        onChange: (event) => {
          if (event.target.files[0]) take(event.target.files[0]);
          event.target.value = "";
        },
      }),
    ),
    asking
      ? createElement(
          "p",
          { role: "alert" },
          "Every conversation of yours will be gone for good. ",
          createElement("button", { type: "button", className: "button", onClick: deleteAll }, "Delete all of it"),
          " ",
          createElement("button", { type: "button", className: "button", onClick: () => setAsking(false) }, "Keep it"),
        )
      : createElement(
          "p",
          null,
          createElement(
            "button",
            { type: "button", className: "button", onClick: () => setAsking(true) },
            "Delete everything of mine",
          ),
        ),
    createElement("p", { role: "status" }, outcome),
  );
}

export function ConversationList({ revision, current, onClose, onGone, children }) {
  const [entries, setEntries] = useState([]);
  const [next, setNext] = useState(null);
  const [state, setState] = useState("loading");
  const [words, setWords] = useState("");
  const [sought, setSought] = useState("");
  const [deleted, setDeleted] = useState(null);
  const [problem, setProblem] = useState("");
  const [changes, setChanges] = useState(0);
  const region = useRef(null);
  const end = useRef(null);
  const asked = useRef(0);

  const load = (after) => {
    const number = ++asked.current;
    const query = sought ? `?q=${encodeURIComponent(sought)}` : after ? `?after=${encodeURIComponent(after)}` : "";
    // A page that follows the list of before would take the place of the list that is asked for now.
    setNext(null);
    return request(query, "GET")
      .then((response) => response.json())
      .then((page) => {
        if (number !== asked.current) return;
        setEntries((shown) => (after ? [...shown, ...page.conversations] : page.conversations));
        setNext(page.next);
        setState("loaded");
        if (sought) announce(`${page.conversations.length} conversations found.`);
      })
      .catch((status) => number === asked.current && setState(status === TOOK_TOO_LONG ? "took too long" : "failed"));
  };
  const reload = () => setChanges((count) => count + 1);
  const failed = () => announce("That did not work. Try again in a little while.");
  const refusedOrFailed = (why) => (wordsOf(why) ? setProblem(why) : failed());

  useEffect(() => {
    const waiting = setTimeout(() => setSought(words.trim()), SEARCH_AFTER);
    return () => clearTimeout(waiting);
  }, [words]);
  useEffect(() => {
    load(null);
  }, [revision, sought, changes]);
  useEffect(() => {
    region.current.querySelector("input").focus({ preventScroll: true });
  }, []);
  useEffect(() => {
    if (!next) return undefined;
    const reached = new IntersectionObserver((seen) => seen.some((one) => one.isIntersecting) && load(next), {
      root: region.current,
      rootMargin: "400px",
    });
    reached.observe(end.current);
    return () => reached.disconnect();
  }, [next]);
  useEffect(() => {
    if (!deleted) return undefined;
    const waiting = setTimeout(() => setDeleted(null), UNDO_FOR);
    return () => clearTimeout(waiting);
  }, [deleted]);

  const change = (entry, values) => {
    request(entry.id, "PATCH", values).then(() => {
      setProblem("");
      reload();
    }, refusedOrFailed);
  };
  const remove = (entry) => {
    request(entry.id, "DELETE").then(() => {
      setDeleted(entry);
      setProblem("");
      announce(`Deleted ${entry.title}.`);
      onGone?.(entry.id);
      reload();
    }, failed);
  };
  const restore = () => {
    request(`${deleted.id}/restore`, "POST").then(() => {
      setDeleted(null);
      setProblem("");
      announce("It is back.");
      reload();
    }, refusedOrFailed);
  };
  const phone = () => matchMedia("(max-width: 60rem)").matches;

  const groups = [];
  const now = Date.now();
  for (const entry of entries) {
    const name = sought ? "Found" : groupOf(entry, now);
    if (groups.at(-1)?.name !== name) groups.push({ name, entries: [] });
    groups.at(-1).entries.push(entry);
  }

  return createElement(
    "nav",
    {
      ref: region,
      className: "conversation-list",
      "aria-label": "Conversations",
      onKeyDown: (event) => event.key === "Escape" && onClose?.(),
    },
    children,
    createElement("input", {
      type: "search",
      className: "input",
      "aria-label": "Search conversations",
      placeholder: "Search",
      value: words,
      onChange: (event) => setWords(event.target.value),
    }),
    deleted &&
      createElement(
        "p",
        { className: "undo" },
        createElement("span", { dir: "auto" }, `Deleted “${deleted.title}”.`),
        createElement("button", { type: "button", className: "button", onClick: restore }, "Undo"),
      ),
    problem && createElement("p", { role: "alert", className: "list-words" }, problem),
    state === "failed" &&
      createElement(
        "p",
        { role: "alert", className: "list-words" },
        "The list cannot be loaded. ",
        createElement("button", { type: "button", className: "button", onClick: reload }, "Try again"),
      ),
    state === "took too long" &&
      createElement(
        "p",
        { role: "alert", className: "list-words" },
        "The search took too long. Search for longer words, or for more of them.",
      ),
    state === "loaded" &&
      !entries.length &&
      createElement("p", { className: "list-words" }, sought ? "Nothing was found." : "There is no conversation yet."),
    groups.map((group) =>
      createElement(
        "section",
        { key: group.name, "aria-label": group.name },
        createElement("h3", null, group.name),
        createElement(
          "ul",
          null,
          group.entries.map((entry) =>
            createElement(Entry, {
              key: entry.id,
              entry,
              isCurrent: entry.id === current,
              onOpen: () => phone() && onClose?.(),
              change,
              remove,
            }),
          ),
        ),
      ),
    ),
    createElement("div", { ref: end, className: "list-end" }),
    createElement(Taking, { current, reload, onGone }),
  );
}
