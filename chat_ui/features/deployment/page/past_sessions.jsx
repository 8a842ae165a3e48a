// The conversations at a deployment that are not here yet, as a section of the list of conversations.

import { useEffect, useRef, useState } from "react";
import { Trash2 } from "lucide-react";
import { announce } from "../../../page/announcing/announcer.jsx";
import { changedAt } from "../../../page/conversations/groups.js";
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

function dateOf(seconds) {
  const then = new Date(seconds * 1000);
  if (then.getFullYear() === new Date().getFullYear()) return changedAt(seconds, Date.now());
  return then.toLocaleDateString(locale(), { month: "short", year: "numeric" });
}

const shownOf = ({ known }) => [...known.values()].sort((one, other) => other.updated_at - one.updated_at);

/** The section under the `name` of the backend `of`. `onOpen` gets the id of an opened conversation. */
export function PastSessions({ address, of, name, term, revision, current, onOpen }) {
  if (kept.of !== of) kept = { of, known: new Map(), next: null };
  const [sessions, setSessions] = useState(() => shownOf(kept));
  const [isBusy, setBusy] = useState(false);
  const [words, setWords] = useState("");
  const [opened, setOpened] = useState(null);
  const [asked, setAsked] = useState(null);
  const heading = useRef(null);
  const { known, next } = kept;

  const send = (method, values) => request(`${address}sessions?${new URLSearchParams({ of, ...values })}`, method);
  const show = () => setSessions(shownOf(kept));
  // The first page again leaves the further pages, unless they belong to another person.
  const dropGone = ({ sessions: newest, next: further }) => {
    const isSame = newest.some(({ id }) => known.has(id));
    const oldest = isSame && further ? newest.at(-1).updated_at : 0;
    for (const [id, one] of known) if (one.updated_at >= oldest) known.delete(id);
  };
  const load = async (after) => {
    let isAgain = false;
    for (let pages = 0; pages < MOST_PAGES; pages += 1) {
      const page = await (await send("GET", after ? { after } : {})).json();
      if (!after) dropGone(page);
      isAgain = !after && known.size > 0;
      const isNew = page.sessions.some(({ id }) => !known.has(id));
      for (const one of page.sessions) known.set(one.id, one);
      // A server that does not read the token sends the same page again.
      after = isNew ? page.next : null;
      if (isAgain || !after || page.sessions.some(({ conversation }) => !conversation)) break;
    }
    if (!isAgain) kept.next = after;
    show();
    setWords("");
  };
  const guarded = (work) =>
    work().catch((why) => setWords(wordsOf(why) ?? t("Something went wrong. Try again in a moment.")));
  const busy = async (work) => {
    if (isBusy) return;
    setBusy(true);
    await guarded(work);
    setBusy(false);
  };
  useEffect(() => {
    guarded(() => load(null));
  }, [revision]);

  const bring = async (one) => {
    const answer = await send("POST", { session: one.id, updated_at: one.updated_at ?? "" });
    return answer.json();
  };
  // It may be longer there by now.
  const here = sessions.find(({ conversation }) => conversation && conversation === current);
  useEffect(() => {
    if (here) bring(here).catch(() => {});
  }, [here?.conversation]);
  const open = (one) =>
    busy(async () => {
      const { conversation, left_out: leftOut } = await bring(one);
      known.set(one.id, { ...one, conversation });
      show();
      setWords("");
      if (leftOut) setOpened({ conversation, leftOut });
      else onOpen(conversation);
    });
  const remove = (one) => {
    setAsked(null);
    return busy(async () => {
      await send("DELETE", { session: one.id });
      known.delete(one.id);
      show();
      announce(t("Deleted {title}.", { title: one.title }));
      heading.current?.focus({ preventScroll: true });
    });
  };

  const sought = term.toLocaleLowerCase();
  const elsewhere = sessions.filter(({ conversation }) => !conversation);
  const found = elsewhere.filter(({ title }) => title.toLocaleLowerCase().includes(sought));
  if (!elsewhere.length && !next && !words && !opened) return null;
  return (
    <section aria-label={name} aria-busy={isBusy}>
      <h3 ref={heading} tabIndex={-1} className="past-sessions-name">
        {name}
      </h3>
      <Alert className="list-words" words={words} />
      {opened && (
        <Alert
          className="list-words"
          words={t("Questions that could not be read and were left out: {count}.", { count: opened.leftOut })}
        >
          <Button
            onClick={() => {
              setOpened(null);
              onOpen(opened.conversation);
            }}
          >
            {t("Open")}
          </Button>
        </Alert>
      )}
      {term && next && <p className="list-words">{t("Only the conversations below were searched here.")}</p>}
      <ul>
        {found.map((one) => (
          <li key={one.id} className="entry">
            <button type="button" className="past-session" dir="auto" onClick={() => open(one)}>
              <span className="entry-title">{one.title || t("Untitled")}</span>
            </button>
            {one.updated_at && (
              <time className="entry-time" dateTime={new Date(one.updated_at * 1000).toISOString()}>
                {dateOf(one.updated_at)}
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
      {next && (
        <Button className="button past-sessions-more" onClick={() => busy(() => load(next))}>
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
