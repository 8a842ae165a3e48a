// The conversations at a deployment that are not here yet, as a section of the list of conversations.

import { useEffect, useReducer, useRef, useState } from "react";
import { Trash2 } from "lucide-react";
import { announce } from "../../../page/announcing/announcer.jsx";
import { locale, rich, t } from "../../../page/languages/language.js";
import { Alert } from "../../../page/shared/alert.jsx";
import { Button, IconButton } from "../../../page/shared/button.jsx";
import { FramedDialog } from "../../../page/shared/framed_dialog.jsx";
import { request, wordsOf } from "../../../page/shared/loading.js";
import { adopt } from "../../../page/shared/stylesheets.js";
import rules from "./past_sessions.css?inline";

adopt(rules);

// Pages in a row of which all conversations are here already.
const MOST_PAGES = 10;
// The loaded pages of a backend: leaving the conversation may render the list again.
let kept = { of: "", known: new Map(), next: null };

/** The section under the `name` of the backend `of`. `onOpen` gets the id of an opened conversation. */
export function PastSessions({ address, of, name, term, revision, current, onOpen }) {
  if (kept.of !== of) kept = { of, known: new Map(), next: null };
  const loaded = kept;
  const { known } = loaded;
  const [, redraw] = useReducer((count) => count + 1, 0);
  const [told, setTold] = useState({ words: "", opened: "" });
  const [asked, setAsked] = useState(null);
  const heading = useRef(null);
  // The id of the session that is being opened, until the person goes elsewhere.
  const opening = useRef("");

  const send = (method, values, signal = undefined) =>
    request(`${address}sessions?${new URLSearchParams({ of, ...values })}`, method, undefined, { signal });
  const tell = (words, opened = "") => setTold({ words, opened });
  const guarded = (work) =>
    work().catch(
      (why) => why.name !== "AbortError" && tell(wordsOf(why) ?? t("Something went wrong. Try again in a moment.")),
    );
  // The first page again leaves the further pages, unless they belong to another person.
  const dropGone = ({ sessions: newest, next: further }) => {
    const isSame = newest.some(({ id }) => known.has(id));
    const oldest = isSame && further ? newest.at(-1).updated_at : 0;
    for (const [id, one] of known) if (one.updated_at >= oldest) known.delete(id);
  };
  const load = async (after, signal = undefined) => {
    for (let pages = 0; pages < MOST_PAGES; pages += 1) {
      const page = await (await send("GET", after ? { after } : {}, signal)).json();
      // A second press has loaded it.
      if (after && after !== loaded.next) return;
      if (!after) dropGone(page);
      const isAgain = !after && known.size > 0;
      const isNew = page.sessions.some(({ id }) => !known.has(id));
      for (const one of page.sessions) known.set(one.id, { ...one, title: one.title || t("Untitled") });
      // A server that does not read the token sends the same page again.
      if (!isAgain) loaded.next = isNew ? page.next : null;
      setTold((now) => ({ ...now, words: now.opened && now.words }));
      after = loaded.next;
      if (isAgain || !after || page.sessions.some(({ conversation }) => !conversation)) return;
    }
  };
  useEffect(() => {
    const leave = new AbortController();
    guarded(() => load(null, leave.signal));
    return () => leave.abort();
  }, [revision]);
  useEffect(
    () => () => {
      opening.current = "";
    },
    [current],
  );

  const bring = async (one) => (await send("POST", { session: one.id, updated_at: one.updated_at ?? "" })).json();
  const sessions = [...known.values()].sort((one, other) => other.updated_at - one.updated_at);
  // It may be longer there by now.
  const here = sessions.find(({ conversation }) => conversation && conversation === current);
  useEffect(() => {
    if (here) bring(here).catch(() => {});
  }, [here?.conversation]);
  const open = async (one) => {
    opening.current = one.id;
    tell("");
    await guarded(async () => {
      const { conversation, left_out: leftOut } = await bring(one);
      known.set(one.id, { ...one, conversation });
      const isAwaited = opening.current === one.id;
      if (leftOut)
        tell(t("Questions that could not be read and were left out: {count}.", { count: leftOut }), conversation);
      else if (isAwaited) onOpen(conversation);
    });
    if (opening.current === one.id) opening.current = "";
    redraw();
  };
  const remove = (one) => {
    setAsked(null);
    return guarded(async () => {
      await send("DELETE", { session: one.id });
      known.delete(one.id);
      redraw();
      announce(t("Deleted {title}.", { title: one.title }));
      heading.current?.focus({ preventScroll: true });
    });
  };

  const sought = term.toLocaleLowerCase();
  const elsewhere = sessions.filter(({ conversation }) => !conversation);
  const found = elsewhere.filter(({ title }) => title.toLocaleLowerCase().includes(sought));
  if (!elsewhere.length && !loaded.next && !told.words) return null;
  return (
    <section aria-label={name}>
      <h3 ref={heading} tabIndex={-1}>
        {name}
      </h3>
      <Alert className="list-words" words={told.words}>
        {told.opened && (
          <Button
            onClick={() => {
              tell("");
              onOpen(told.opened);
            }}
          >
            {t("Open")}
          </Button>
        )}
      </Alert>
      {term && loaded.next && <p className="list-words">{t("Only the conversations below were searched here.")}</p>}
      <ul>
        {found.map((one) => (
          <li key={one.id} className="entry" aria-busy={opening.current === one.id}>
            <button type="button" dir="auto" onClick={() => open(one)}>
              <span className="entry-title">{one.title}</span>
            </button>
            {one.updated_at && (
              <time className="entry-time" dateTime={new Date(one.updated_at * 1000).toISOString()}>
                {new Date(one.updated_at * 1000).toLocaleDateString(locale(), { dateStyle: "medium" })}
              </time>
            )}
            <span className="entry-tools">
              <IconButton
                label={t("Delete {title}", { title: one.title })}
                sign={Trash2}
                onClick={() => setAsked(one)}
              />
            </span>
          </li>
        ))}
      </ul>
      {loaded.next && (
        <Button className="button past-sessions-more" onClick={() => guarded(() => load(loaded.next))}>
          {t("Show more")}
        </Button>
      )}
      {asked && (
        <FramedDialog
          maxWidth="28rem"
          title={rich("Delete “{title}”?", { title: <bdi>{asked.title}</bdi> })}
          canCancel
          after={
            <Button className="button button-primary danger" onClick={() => remove(asked)}>
              {t("Delete")}
            </Button>
          }
          onClose={() => setAsked(null)}
        >
          <p>{t("It will be permanently deleted at {name}.", { name })}</p>
        </FramedDialog>
      )}
    </section>
  );
}
