// The list of conversations, loaded over HTTP in pages while scrolling, so a long list does not burden the socket.

import { useEffect, useLayoutEffect, useRef, useState } from "react";
import { rich, t, tn } from "../languages/language.js";
import { announce } from "../announcing/announcer.jsx";
import { Alert } from "../shared/alert.jsx";
import { Button } from "../shared/button.jsx";
import { rememberOpener } from "../shared/focus.js";
import { fetchedJson, untilLoaded, request, wordsOf } from "../shared/loading.js";
import { pressed } from "../shared/hearing.js";
import { useNavigate } from "react-router";
import { isToReplace } from "../shared/back_steps.js";
import { useProvided } from "../shared/provided.js";
import { isFarAway, useDragging } from "../shared/dragging.js";
import { isNarrow } from "../shared/narrow.js";
import { Scrim, useSheet } from "../shared/sheet.jsx";
import { SquarePen } from "lucide-react";
import { run } from "../commands/commands.js";
import { useDialogs } from "../commands/dialogs.jsx";
import { Entry } from "./entry.jsx";
import { grouped } from "./groups.js";

const SEARCH_AFTER = 200;
const UNDO_FOR = 15000;
// The newest deletion, and the end of its undo time: leaving the conversation may render the list again.
let undoable = null;
const TOOK_TOO_LONG = 422;
// The tab's storage key of the open list, as in `ListState`.
const OPENED = "chat-ui-list";

const isPlain = ({ button, altKey, ctrlKey, metaKey, shiftKey }) =>
  button === 0 && !(altKey || ctrlKey || metaKey || shiftKey);

/** @returns {[number, number]} */
const towardsItsEdge = (list) => (getComputedStyle(list).direction === "rtl" ? [1, 0] : [-1, 0]);

export function ConversationList({ address, feedback, pages, revision, current, onClose, onGone, children }) {
  const [entries, setEntries] = useState([]);
  const [next, setNext] = useState(null);
  const [isWhole, setWhole] = useState(false);
  const [state, setState] = useState("loading");
  const [words, setWords] = useState("");
  const [term, setTerm] = useState("");
  const [deleted, setDeleted] = useState(undoable && Date.now() < undoable.until ? undoable.entry : null);
  const [problem, setProblem] = useState("");
  const [changes, setChanges] = useState(0);
  const navigate = useNavigate();
  const region = useRef(null);
  const end = useRef(null);
  const leave = useRef(null);
  const undo = useRef(null);
  // A new list may have moved or lost a conversation whose title is being edited.
  const editing = useRef(false);
  const isOld = useRef(false);

  const load = (after) => {
    isOld.current = editing.current;
    if (editing.current) return;
    leave.current?.();
    const query = term ? `?q=${encodeURIComponent(term)}` : after ? `?after=${encodeURIComponent(after)}` : "";
    // A further page of the former list would replace the requested list.
    setNext(null);
    const attempt = async (signal) => {
      const page = await fetchedJson(address + query, signal);
      signal.throwIfAborted();
      if (editing.current) {
        isOld.current = true;
        return;
      }
      setEntries((shown) => (after ? [...shown, ...page.conversations] : page.conversations));
      setNext(page.next);
      setWhole(!page.next);
      setState("loaded");
      const found = page.conversations.length;
      if (term) announce(tn("1 conversation found.", "{count} conversations found.", found));
    };
    leave.current = untilLoaded(attempt, (failures, isLast, { status }) => {
      if (status === TOOK_TOO_LONG) setState("took too long");
      else if (isLast || failures > 1) setState("failed");
    });
  };
  useEffect(() => () => leave.current?.(), []);
  const reload = () => setChanges((count) => count + 1);
  const [data, openData] = useDialogs(() => import("./archive.jsx"), { address, feedback, reload, onGone });
  const setEditing = (begins) => {
    editing.current = begins;
    if (!begins && isOld.current) load(null);
  };
  const failed = () => announce(t("Something went wrong. Try again in a moment."));
  const refusedOrFailed = (why) => (wordsOf(why) ? setProblem(why) : failed());

  useEffect(() => {
    const waiting = setTimeout(() => setTerm(words.trim()), SEARCH_AFTER);
    return () => clearTimeout(waiting);
  }, [words]);
  useEffect(() => {
    load(null);
  }, [revision, term, changes]);
  useLayoutEffect(() => {
    rememberOpener(region.current);
    // A list that is rendered again does not take the focus from elsewhere.
    if (!document.activeElement.matches("body, .conversations-button")) return;
    // On a touch screen, focus in the search would raise a keyboard over the list.
    const first = matchMedia("(pointer: fine)").matches ? region.current.querySelector("input") : region.current;
    first.focus({ preventScroll: true });
  }, []);
  useSheet(region, onClose);
  useDragging(region, ".conversation-list", towardsItsEdge, (pulled) => (isFarAway(pulled) ? () => onClose?.() : null));
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
    // Keep the undo time running while Undo has the focus.
    const waiting = setInterval(() => document.activeElement !== undo.current && setDeleted(null), UNDO_FOR);
    return () => clearInterval(waiting);
  }, [deleted]);

  const done = () => {
    setProblem("");
    reload();
  };
  const change = (entry, values) => {
    request(address + entry.id, "PATCH", values).then(done, refusedOrFailed);
  };
  const remove = (entry) => {
    request(address + entry.id, "DELETE").then(() => {
      undoable = { entry, until: Date.now() + UNDO_FOR };
      setDeleted(entry);
      announce(t("Deleted {title}.", { title: entry.title }));
      onGone?.(entry.id);
      done();
    }, failed);
  };
  const restore = () => {
    request(`${address}${deleted.id}/restore`, "POST").then(() => {
      undoable = null;
      setDeleted(null);
      announce(t("It was restored."));
      done();
    }, refusedOrFailed);
  };
  // Opening a conversation leaves the sheet and replaces its history entry. The address change sends the tab's stored
  // state to the server, which would open the list again before the close event.
  const open = (event, to) => {
    if (!isNarrow()) return;
    sessionStorage.setItem(OPENED, "");
    if (isPlain(event) && isToReplace()) {
      event.preventDefault();
      navigate(to, { replace: true });
    }
    onClose?.();
  };
  const Section = useProvided("list-section");
  const openHere = (id) => {
    if (isNarrow()) sessionStorage.setItem(OPENED, "");
    navigate(`${pages}/${id}`, { replace: isNarrow() && isToReplace() });
    if (isNarrow()) onClose?.();
  };

  return (
    <>
      <Scrim onClose={onClose} />
      <nav
        ref={region}
        className="conversation-list"
        tabIndex={-1}
        aria-label={t("Conversations")}
        onKeyDown={(event) => {
          if (!pressed(event, "Escape")) return;
          event.preventDefault();
          onClose?.();
        }}
      >
        {children}
        <Button
          onClick={() => {
            if (isNarrow()) onClose?.();
            run("new-chat");
          }}
        >
          <SquarePen size={16} aria-hidden />
          {t("New chat")}
        </Button>
        <input
          type="search"
          className="input"
          aria-label={t("Search conversations")}
          placeholder={t("Search")}
          autoComplete="off"
          enterKeyHint="search"
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
        {deleted && (
          <p className="undo">
            <span>
              {rich("Deleted “{title}”.", { title: <bdi>{deleted.title}</bdi> })}
              {deleted.shared && <> {t("Its shared links have stopped working.")}</>}
            </span>
            <Button ref={undo} onClick={restore}>
              {t("Undo")}
            </Button>
          </p>
        )}
        <Alert className="list-words" words={problem} />
        <Alert className="list-words" words={state === "failed" && t("The list could not be loaded. Retrying…")}>
          <Button onClick={reload}>{t("Try again")}</Button>
        </Alert>
        {state === "took too long" && (
          <Alert className="list-words" words={t("The search took too long. Type longer or more words.")} />
        )}
        {state === "loaded" && !entries.length && (
          <p className="list-words">{term ? t("No results.") : t("No conversations.")}</p>
        )}
        {grouped(entries, Date.now(), term).map((group) => (
          <section key={group.name} aria-label={group.name}>
            <h3>{group.name}</h3>
            <ul>
              {group.entries.map((entry) => (
                <Entry
                  key={entry.id}
                  entry={entry}
                  address={`${pages}/${entry.id}`}
                  isCurrent={entry.id === current}
                  onOpen={open}
                  onEditing={setEditing}
                  change={change}
                  remove={remove}
                />
              ))}
            </ul>
          </section>
        ))}
        <div ref={end} className="list-end" />
        {Section && isWhole && <Section term={term} revision={revision} current={current} onOpen={openHere} />}
        {/* Loaded with the list, so that nothing moves below the pointer. */}
        {state !== "loading" && (
          <div className="list-foot">
            <button
              type="button"
              className="tool"
              title={t("Export, import and delete conversations")}
              aria-haspopup="dialog"
              onClick={() => openData("Archive")}
            >
              {t("Data…")}
            </button>
          </div>
        )}
      </nav>
      {data}
    </>
  );
}
