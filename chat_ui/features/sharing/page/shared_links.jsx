// The dialog with all of a person's links to shared conversations.

import { useRef, useState } from "react";
import { t } from "../../../page/languages/language.js";
import { Alert } from "../../../page/shared/alert.jsx";
import { Button } from "../../../page/shared/button.jsx";
import { CopyText } from "../../../page/shared/copy_text.jsx";
import { FramedDialog } from "../../../page/shared/framed_dialog.jsx";
import { fetchedJson, useLoaded, request } from "../../../page/shared/loading.js";
import { adopt } from "../../../page/shared/stylesheets.js";
import { announce } from "../../../page/announcing/announcer.jsx";
import { addressOf, dateOf, readersInWords } from "./links.js";
import rules from "./shared_links.css?inline";

adopt(rules);

const GONE = 404;

/** @param {{ link: import("./links.js").Link, onRevoke: () => void }} props */
function SharedLink({ link, onRevoke }) {
  const { title } = link;
  return (
    <li className="shared-link">
      <div className="shared-link-words">
        <span className="shared-link-title" dir="auto">
          {title}
        </span>
        <span className="field-help">
          {t("Created {made}, expires {end}.", { made: dateOf(link.made_at), end: dateOf(link.ends_at) })}
          {!link.path && <> {t("The link cannot be copied any more: the server's secret key has changed.")}</>}
        </span>
      </div>
      <div className="dialog-buttons">
        {link.path && (
          <>
            <CopyText text={addressOf(link)} words={t("Copy link")} label={t("Copy the link to {title}", { title })} />
            <a
              className="button"
              href={link.path}
              target="_blank"
              rel="noopener noreferrer"
              aria-label={t("Open {title} in a new tab", { title })}
            >
              {t("Open")}
            </a>
          </>
        )}
        <Button aria-label={t("Revoke the link to {title}", { title })} onClick={onRevoke}>
          {t("Revoke")}
        </Button>
      </div>
    </li>
  );
}

/** The links are at the address `links`. */
export function SharedLinks({ links, onClose }) {
  const { value: found, setValue: setFound, problem } = useLoaded((signal) => fetchedJson(links, signal), [links]);
  const [refusal, setRefusal] = useState("");
  const list = useRef(null);

  const revoke = (link) => {
    const gone = () => {
      setRefusal("");
      setFound((now) => ({ ...now, links: now.links.filter(({ id }) => id !== link.id) }));
      // The focused button was removed with its link.
      list.current?.focus();
      announce(t("The link to {title} is revoked.", { title: link.title }));
    };
    request(links + link.id, "DELETE").then(gone, (status) =>
      status === GONE ? gone() : setRefusal(t("The link could not be revoked. Try again in a moment.")),
    );
  };

  return (
    <FramedDialog
      className="shared-links"
      maxWidth="42rem"
      title={t("Shared links")}
      description={
        <>
          {t("Each link shows a conversation as it was when the link was created.")}{" "}
          {found && readersInWords(found.readers)}
        </>
      }
      body={{ ref: list, tabIndex: -1 }}
      onClose={onClose}
    >
      <Alert className="field-error" words={refusal || problem} />
      {found && found.links.length === 0 && <p>{t("No shared links.")}</p>}
      {found && found.links.length > 0 && (
        <ul aria-label={t("Shared links")}>
          {found.links.map((link) => (
            <SharedLink key={link.id} link={link} onRevoke={() => revoke(link)} />
          ))}
        </ul>
      )}
    </FramedDialog>
  );
}
