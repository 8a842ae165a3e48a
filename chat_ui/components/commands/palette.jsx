// The dialog Search and commands: conversations, backends and commands, found by typing. What the server finds comes below
// everything else, so that nothing moves that is highlighted.

import { Dialog } from "@radix-ui/themes";
import { MessageSquare, Search, Server, X } from "lucide-react";
import { useContext, useEffect, useId, useRef, useState, useSyncExternalStore } from "react";
import { useNavigate } from "react-router";
import { ColorModeContext } from "$/utils/context";
import { download } from "../conversations/requests.js";
import { giveDialogFocusBack, rememberDialogOpener } from "../shared/focus.js";
import { IconButton } from "../shared/icon_button.jsx";
import { fetched, untilLoaded } from "../shared/loading.js";
import { composes, leaveToInputMethod } from "../shared/pressed.js";
import { announce } from "../speech/announcer.jsx";
import { OF_CONVERSATION, OF_PAGE } from "./actions.js";
import { listen, possible, run } from "./commands.js";
import { Keys, keysOf } from "./keys.jsx";
import "./palette.css";
import { ranked } from "./ranking.js";
import { SHORTCUTS, isOn, matches } from "./shortcuts.js";

const SEARCH_AFTER = 200;
const RECENT = 6;
const BACKENDS = 6;
const MOST = 8;
const MOST_FOUND = 20;
const TOOK_TOO_LONG = 422;
const PROBLEMS = {
  [TOOK_TOO_LONG]: "The search of the conversations took too long. Type longer words, or more of them.",
};
const PROBLEM = "The conversations cannot be searched now.";

/** The conversations at `address`, of the list or of a search for `term`; `null` until they are there. */
function useConversations(address, term, delay) {
  const [loaded, setLoaded] = useState({ term: null, entries: null, problem: "" });
  useEffect(() => {
    let leave = () => {};
    const load = () => {
      const attempt = async (signal) => {
        const query = term ? `?q=${encodeURIComponent(term)}` : "";
        const { conversations } = await (await fetched(address + query, signal)).json();
        if (!signal.aborted) setLoaded({ term, entries: conversations, problem: "" });
      };
      leave = untilLoaded(attempt, (_failures, _isLast, { status }) =>
        setLoaded({ term, entries: [], problem: PROBLEMS[status] ?? PROBLEM }),
      );
    };
    const waiting = term === null ? undefined : setTimeout(load, delay);
    return () => {
      clearTimeout(waiting);
      leave();
    };
  }, [address, term]);
  return loaded.term === term ? loaded : { entries: null, problem: "" };
}

const ofConversation = (pages, navigate) => (entry) => ({
  id: `conversation-${entry.id}`,
  kind: "conversation",
  sign: MessageSquare,
  label: entry.title,
  note: entry.excerpt,
  act: () => navigate(`${pages}/${entry.id}`),
});

const ofBackend = ([id, name]) => ({
  id: `backend-${id}`,
  kind: "backend",
  sign: Server,
  label: name,
  hints: "backend",
  act: () => run("backend", id),
});

/** What of these actions is possible, where the operator lets people see it. */
function useActions(acts) {
  const names = useSyncExternalStore(listen, possible);
  const isPossible = ({ name }) => name in acts || names.includes(name);
  const toItem = ({ name, values = [], ...words }) => ({
    id: [name, ...values].join("-"),
    kind: "command",
    ...words,
    keys: name in SHORTCUTS && isOn(name) ? keysOf(SHORTCUTS[name]) : undefined,
    act: () => (acts[name] ?? ((...given) => run(name, ...given)))(...values),
  });
  return [OF_CONVERSATION, OF_PAGE].map((group) => group.filter(isPossible).map(toItem));
}

const group = (name, items) => ({ name, items });

/** Groups of what was typed, the one with the best first; `late` items, which came after that, in a group below. */
function groupsFor(term, items, late) {
  const NAMES = { conversation: "Conversations", backend: "Backends", command: "Actions" };
  const found = ranked(items, term);
  const kinds = [...new Set(found.map(({ kind }) => kind))];
  const groups = kinds.map((kind) => group(NAMES[kind], found.filter((one) => one.kind === kind).slice(0, MOST)));
  return [...groups, group("Found in conversations", late)];
}

function Option({ item, id, isCurrent, onPoint, onChoose }) {
  const option = useRef(null);
  useEffect(() => {
    if (isCurrent) option.current.scrollIntoView({ block: "nearest" });
  }, [isCurrent]);
  const Sign = item.sign;
  return (
    <div
      ref={option}
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isCurrent}
      className="palette-option"
      onPointerMove={onPoint}
      // The focus stays where the typing goes.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onChoose}
    >
      <Sign size={16} aria-hidden />
      <span className="palette-words" dir="auto">
        <span className="palette-name">{item.label}</span>
        {item.note && <span className="palette-note">{item.note}</span>}
      </span>
      {item.keys && <Keys of={item.keys} />}
    </div>
  );
}

export function Palette({ address, pages, conversation, offered, selected, onClose }) {
  const [typed, setTyped] = useState("");
  const [pointed, setPointed] = useState(null);
  const id = useId();
  const chosen = useRef(null);
  const navigate = useNavigate();
  const { setColorMode } = useContext(ColorModeContext);
  const term = typed.trim();
  const listed = useConversations(address, "", 0);
  const found = useConversations(address, term || null, SEARCH_AFTER);

  const exported = (format) => download(`${address}${conversation}/export?as=${format}`);
  const acts = { theme: setColorMode, ...(conversation && { export: exported }) };
  const [ofTalk, ofPage] = useActions(acts);
  const isToChoose = possible().includes("backend");
  const backends = isToChoose ? offered.filter(([one]) => one !== selected).map(ofBackend) : [];
  const toItem = ofConversation(pages, navigate);
  const others = (listed.entries ?? []).filter((one) => one.id !== conversation).map(toItem);
  const isIn = (items) => (one) => items.some((other) => other.id === one.id);
  const typedFor = useRef("");
  // The list may come after the first letters: its titles are then found by the server alone.
  if (listed.entries === null) typedFor.current = term;
  const known = term && typedFor.current === term ? [] : others;

  const groups = (
    term
      ? groupsFor(
          term,
          [...known, ...ofTalk, ...ofPage, ...backends],
          (found.entries ?? [])
            .map(toItem)
            .filter((one) => !isIn(ranked(known, term).slice(0, MOST))(one))
            .slice(0, MOST_FOUND),
        )
      : [
          group("Actions", ofTalk),
          group("Recent conversations", others.slice(0, RECENT)),
          group("Backends", backends.slice(0, BACKENDS)),
          group("This page", ofPage),
        ]
  ).filter(({ items }) => items.length > 0);
  const items = groups.flatMap((one) => one.items);
  const current = items.find((one) => one.id === pointed) ?? items[0];
  const problem = term && found.problem;
  const isSettled = !term || found.entries !== null;

  useEffect(() => {
    if (term && isSettled && !problem) announce(`${items.length} result${items.length === 1 ? "" : "s"} found.`);
    else if (problem) announce(problem);
  }, [term, isSettled, problem]);

  const choose = (item) => {
    chosen.current = item;
    onClose();
  };
  const step = (by) => {
    if (items.length > 0) setPointed(items.at((items.indexOf(current) + by) % items.length).id);
  };
  const key = (event) => {
    const { nativeEvent } = event;
    if (composes(nativeEvent)) return;
    if (matches(nativeEvent, SHORTCUTS.palette)) onClose();
    else if (event.key === "ArrowDown") step(1);
    else if (event.key === "ArrowUp") step(-1);
    else if (event.key === "Enter" && current) choose(current);
    else if (event.key !== "Enter") return;
    event.preventDefault();
  };

  return (
    <Dialog.Root open onOpenChange={(isOpen) => isOpen || onClose()}>
      <Dialog.Content
        className="palette"
        maxWidth="40rem"
        align="start"
        aria-describedby={undefined}
        onOpenAutoFocus={rememberDialogOpener}
        onCloseAutoFocus={(event) => {
          giveDialogFocusBack(event);
          chosen.current?.act();
        }}
        onEscapeKeyDown={leaveToInputMethod}
      >
        <Dialog.Title className="visually-hidden">Search and commands</Dialog.Title>
        <div className="palette-head">
          <Search size={18} aria-hidden />
          <input
            type="text"
            role="combobox"
            aria-label="Search and commands"
            aria-autocomplete="list"
            aria-expanded={items.length > 0}
            aria-controls={`${id}-list`}
            aria-activedescendant={current && `${id}-${current.id}`}
            placeholder="Search conversations and actions"
            autoComplete="off"
            autoCorrect="off"
            autoCapitalize="off"
            spellCheck={false}
            enterKeyHint="go"
            maxLength={200}
            dir="auto"
            value={typed}
            onChange={(event) => {
              setTyped(event.target.value);
              setPointed(null);
            }}
            onKeyDown={key}
          />
          <Dialog.Close>
            <IconButton label="Close">
              <X size={18} aria-hidden />
            </IconButton>
          </Dialog.Close>
        </div>
        <div className="palette-body">
          <div id={`${id}-list`} role="listbox" aria-label="Search and commands">
            {groups.map(({ name, items: members }) => (
              <div key={name} role="group" aria-label={name}>
                <div className="palette-label" aria-hidden="true">
                  {name}
                </div>
                {members.map((item) => (
                  <Option
                    key={item.id}
                    item={item}
                    id={`${id}-${item.id}`}
                    isCurrent={item === current}
                    onPoint={() => setPointed(item.id)}
                    onChoose={() => choose(item)}
                  />
                ))}
              </div>
            ))}
          </div>
          {problem && <p className="palette-message">{problem}</p>}
          {!isSettled && <p className="palette-message">Searching the conversations…</p>}
          {term && isSettled && !problem && items.length === 0 && <p className="palette-message">Nothing was found.</p>}
        </div>
      </Dialog.Content>
    </Dialog.Root>
  );
}
