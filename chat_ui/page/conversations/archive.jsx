// The dialog Data: exports, imports, shared links, and the deletion of everything.

import { useRef, useState } from "react";
import { run } from "../commands/commands.js";
import { rich, t, tn } from "../languages/language.js";
import { allows } from "../painted/options.js";
import { Button } from "../shared/button.jsx";
import { FileButton } from "../shared/file_button.jsx";
import { FramedDialog } from "../shared/framed_dialog.jsx";
import { adopt } from "../shared/stylesheets.js";
import rules from "./archive.css?inline";
import { request } from "../shared/loading.js";

adopt(rules);

const MOST_IMPORTED_MB = 64;

const importFailed = () => t("The file could not be imported. Try again in a moment.");
const importTooLarge = () =>
  t("The file is too large: more than {size} MB, or more than a proxy allows.", { size: MOST_IMPORTED_MB });

// The outcome of an import as a text: the server's if available.
export async function importWords(response) {
  if (!response.ok) {
    const own = response.headers.get("Content-Type")?.startsWith("text/plain");
    return own ? response.text() : response.status === 413 ? importTooLarge() : importFailed();
  }
  const { imported, refused, refusals } = await response.json();
  const words = [tn("Imported 1 conversation.", "Imported {count} conversations.", imported)];
  for (const { where, why } of refusals) words.push(t("Refused {where}: {why}.", { where, why }));
  const further = refused - refusals.length;
  if (further > 0) words.push(tn("And 1 more was refused.", "And {count} more were refused.", further));
  return words.join("\n");
}

const Row = ({ help, children }) => (
  <li>
    <div className="archive-help">{help}</div>
    {children}
  </li>
);

/** The dialog Data. `feedback` is the address of the person's feedback. */
export function Archive({ address, feedback, reload, onGone, onClose }) {
  const [canExport, canShare, canRate] = ["exporting", "shared_links", "feedback"].map(allows);
  const [outcome, setOutcome] = useState("");
  // Undefined until the first question.
  const [asking, setAsking] = useState(/** @type {boolean | undefined} */ (undefined));
  const afterwards = useRef(null);

  const take = ([chosen]) => {
    if (chosen.size > MOST_IMPORTED_MB * 1024 * 1024) {
      setOutcome(importTooLarge());
      return;
    }
    fetch(`${address}import`, { method: "POST", credentials: "same-origin", body: chosen })
      .then(importWords)
      .then(setOutcome, () => setOutcome(importFailed()))
      .then(reload);
  };
  const deleteAll = () =>
    request(address, "DELETE").then(
      () => {
        setAsking(false);
        setOutcome(t("All your conversations were deleted."));
        onGone?.("");
        reload();
      },
      () => setOutcome(t("Your conversations could not be deleted. Try again in a moment.")),
    );
  const file = (query, words) => (
    <a href={`${feedback}?as=${query}`} download="">
      {words}
    </a>
  );
  return (
    <FramedDialog
      className="archive"
      maxWidth="34rem"
      title={t("Data")}
      onClosed={() => afterwards.current?.()}
      onClose={onClose}
    >
      <ul>
        {(canExport || canRate) && (
          <Row
            help={
              <>
                {canExport && <p>{t("All conversations in one file.")}</p>}
                {canRate && (
                  <p>
                    {rich("Export feedback: {jsonl}, {csv}", {
                      jsonl: file("jsonl", t("JSON Lines")),
                      csv: file("csv", t("CSV")),
                    })}
                  </p>
                )}
              </>
            }
          >
            {canExport && (
              <a className="button" href={`${address}export`} download="">
                {t("Export all")}
              </a>
            )}
          </Row>
        )}
        {canExport && (
          <Row help={t("An export of this page, or a history of azure-search-openai-demo.")}>
            <FileButton accept=".json,application/json" name={t("File to import")} onFiles={take}>
              {t("Import a file")}
            </FileButton>
          </Row>
        )}
        {canShare && (
          <Row help={t("Links to snapshots of your conversations.")}>
            <Button
              onClick={() => {
                afterwards.current = () => run("links");
                onClose();
              }}
            >
              {t("Shared links")}
            </Button>
          </Row>
        )}
        {asking ? (
          <li role="alert">
            <p className="archive-help">
              {t("All your conversations will be permanently deleted.")}{" "}
              {canShare && t("Shared links will stop working.")}
            </p>
            <Button autoFocus onClick={() => setAsking(false)}>
              {t("Cancel")}
            </Button>
            <Button className="button button-primary danger" onClick={deleteAll}>
              {t("Delete all")}
            </Button>
          </li>
        ) : (
          <Row help={t("This cannot be undone.")}>
            <Button autoFocus={asking === false} className="button danger" onClick={() => setAsking(true)}>
              {t("Delete all conversations")}
            </Button>
          </Row>
        )}
      </ul>
      <p role="status">{outcome}</p>
    </FramedDialog>
  );
}
