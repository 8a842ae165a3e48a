// Exports, imports, and the deletion of everything.

import { useState } from "react";
import { run } from "../commands/commands.js";
import { rich, t, tn } from "../languages/language.js";
import { Button } from "../shared/button.jsx";
import { FileButton } from "../shared/file_button.jsx";
import { request } from "./requests.js";

const MOST_IMPORTED_MB = 64;

const importFailed = () => t("The file could not be imported. Try again in a moment.");
const importTooLarge = () =>
  t("The file is too large: more than {size} MB, or more than a proxy allows.", {
    size: MOST_IMPORTED_MB,
  });

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

/**
 * `canExport` enables exports and imports, `canShare` shared links; `feedback` is the address of the person's feedback,
 * if enabled.
 */
export function Archive({ address, feedback, reload, onGone, canExport, canShare }) {
  const [outcome, setOutcome] = useState("");
  const [asking, setAsking] = useState(false);

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
  return (
    <>
      {canExport && (
        <p>
          <a href={`${address}export`} download="">
            {t("Export all")}
          </a>
        </p>
      )}
      {feedback && (
        <p>
          {rich("Export feedback: {jsonl}, {csv}", {
            jsonl: (
              <a href={`${feedback}?as=jsonl`} download="">
                {t("JSON Lines")}
              </a>
            ),
            csv: (
              <a href={`${feedback}?as=csv`} download="">
                {t("CSV")}
              </a>
            ),
          })}
        </p>
      )}
      {canExport && (
        <p>
          <FileButton accept=".json,application/json" name={t("File to import")} onFiles={take}>
            {t("Import a file")}
          </FileButton>
        </p>
      )}
      {canShare && (
        <p>
          <Button onClick={() => run("links")}>{t("Shared links")}</Button>
        </p>
      )}
      {asking ? (
        <p role="alert">
          {t("All your conversations will be permanently deleted.")}{" "}
          {canShare && <>{t("Shared links will stop working.")} </>}
          <Button onClick={deleteAll}>{t("Delete all")}</Button>{" "}
          <Button autoFocus onClick={() => setAsking(false)}>
            {t("Cancel")}
          </Button>
        </p>
      ) : (
        <p>
          <Button onClick={() => setAsking(true)}>{t("Delete all conversations")}</Button>
        </p>
      )}
      <p role="status">{outcome}</p>
    </>
  );
}
