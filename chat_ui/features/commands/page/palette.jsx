// The dialog Search and commands: finds conversations, backends and commands. Results of the server are below all
// others, so that the highlighted one does not move.

import { Dialog } from "@radix-ui/themes";
import { ChevronRight, MessageSquare, Search, Server, X } from "lucide-react";
import { useContext, useEffect, useId, useRef, useState, useSyncExternalStore } from "react";
import { useNavigate } from "react-router";
import { ColorModeContext } from "$/utils/context";
import { t, tn } from "../../../page/languages/language.js";
import { isToReplace } from "../../../page/shared/back_steps.js";
import { IconButton } from "../../../page/shared/button.jsx";
import { fetchedJson, untilLoaded } from "../../../page/shared/loading.js";
import { OpenDialog } from "../../../page/shared/open_dialog.jsx";
import { composes } from "../../../page/shared/hearing.js";
import { adopt } from "../../../page/shared/stylesheets.js";
import { announce } from "../../../page/announcing/announcer.jsx";
import { conversationActions, pageActions } from "./actions.js";
import { labelledCommands, listen, possible, run } from "../../../page/commands/commands.js";
import { Keys, keysOf } from "./keys.jsx";
import rules from "./palette.css?inline";
import { ranked } from "./ranking.js";
import { SHORTCUTS, isOn, matches } from "../../../page/commands/shortcuts.js";

adopt(rules);

const SEARCH_AFTER = 200;
const RECENT = 6;
const BACKENDS = 6;
const MOST = 8;
const MOST_FOUND = 20;
const TOOK_TOO_LONG = 422;

const problemOf = (status) =>
  status === TOOK_TOO_LONG
    ? t("Searching the conversations took too long. Type longer or more words.")
    : t("Conversations cannot be searched at the moment. Try again in a moment.");

/** The conversations at `address`, of the list or of a search for `term`; `null` until loaded. */
function useConversations(address, term, delay) {
  const [loaded, setLoaded] = useState({ term: null, entries: null, problem: "" });
  useEffect(() => {
    let leave = () => {};
    const load = () => {
      const attempt = async (signal) => {
        const query = term ? `?q=${encodeURIComponent(term)}` : "";
        const { conversations } = await fetchedJson(address + query, signal);
        if (!signal.aborted) setLoaded({ term, entries: conversations, problem: "" });
      };
      leave = untilLoaded(attempt, (_failures, _isLast, { status }) =>
        setLoaded({ term, entries: [], problem: problemOf(status) }),
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
  isPage: true,
  act: () => navigate(`${pages}/${entry.id}`, { replace: isToReplace() }),
});

const ofBackend = ([id, name]) => ({
  id: `backend-${id}`,
  kind: "backend",
  sign: Server,
  label: name,
  hints: t("backend"),
  act: () => run("backend", id),
});

/** The available ones of these actions, as far as the operator allows them. */
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
  const others = labelledCommands().map((one) => ({ sign: ChevronRight, ...one }));
  return [conversationActions(), [...pageActions(), ...others]].map((group) => group.filter(isPossible).map(toItem));
}

const group = (name, items) => ({ name, items });

/** Groups of results, the one with the best result first; `late` results are in a group below. */
function groupsFor(term, items, late) {
  const NAMES = { conversation: t("Conversations"), backend: t("Backends"), command: t("Actions") };
  const found = ranked(items, term);
  const kinds = [...new Set(found.map(({ kind }) => kind))];
  const groups = kinds.map((kind) => group(NAMES[kind], found.filter((one) => one.kind === kind).slice(0, MOST)));
  return [...groups, group(t("Found in conversations"), late)];
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
      // The focus stays in the text box.
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

  const [ofTalk, ofPage] = useActions({ theme: setColorMode });
  const isToChoose = possible().includes("backend");
  const backends = isToChoose ? offered.filter(([one]) => one !== selected).map(ofBackend) : [];
  const toItem = ofConversation(pages, navigate);
  const others = (listed.entries ?? []).filter((one) => one.id !== conversation).map(toItem);
  const typedFor = useRef("");
  // The list may arrive after typing has started.
  if (listed.entries === null) typedFor.current = term;
  const isLate = typedFor.current === term;
  const titled = term ? ranked(others, term).slice(0, MOST) : [];
  const isNew = (entry) => titled.every(({ id: other }) => other !== entry.id);
  const said = (found.entries ?? []).map(toItem).filter(isNew).slice(0, MOST_FOUND);

  const groups = (
    term
      ? groupsFor(
          term,
          [...(isLate ? [] : titled), ...ofTalk, ...ofPage, ...backends],
          [...(isLate ? titled : []), ...said],
        )
      : [
          group(t("Actions"), ofTalk),
          group(t("Recent conversations"), others.slice(0, RECENT)),
          group(t("Backends"), backends.slice(0, BACKENDS)),
          group(t("This page"), ofPage),
        ]
  ).filter(({ items }) => items.length > 0);
  const items = groups.flatMap((one) => one.items);
  const current = items.find((one) => one.id === pointed) ?? items[0];
  const problem = term && found.problem;
  const isSettled = !term || found.entries !== null;
  // The highlighted result stays highlighted when others arrive.
  useEffect(() => setPointed((already) => already ?? current?.id ?? null), [typed, current?.id]);

  useEffect(() => {
    if (term && isSettled && !problem) announce(tn("1 result found.", "{count} results found.", items.length));
    else if (problem) announce(problem);
  }, [term, isSettled, problem]);

  const choose = (item) => {
    // The other page replaces the history entry of this dialog, before the dialog removes it.
    if (item.isPage) item.act();
    else chosen.current = item;
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
    <OpenDialog
      className="framed palette"
      maxWidth="40rem"
      align="start"
      aria-describedby={undefined}
      onClosed={() => chosen.current?.act()}
      onClose={onClose}
    >
      <Dialog.Title className="visually-hidden">{t("Search and commands")}</Dialog.Title>
      <div className="palette-head">
        <Search size={18} aria-hidden />
        <input
          type="text"
          role="combobox"
          aria-label={t("Search and commands")}
          aria-autocomplete="list"
          aria-expanded={items.length > 0}
          aria-controls={`${id}-list`}
          aria-activedescendant={current && `${id}-${current.id}`}
          placeholder={t("Search conversations and actions")}
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
          <IconButton label={t("Close")} sign={X} size={18} />
        </Dialog.Close>
      </div>
      <div id={`${id}-list`} role="listbox" aria-label={t("Search and commands")} className="palette-list">
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
      {!isSettled && <p className="palette-message">{t("Searching the conversations…")}</p>}
      {term && isSettled && !problem && items.length === 0 && <p className="palette-message">{t("No results.")}</p>}
    </OpenDialog>
  );
}
