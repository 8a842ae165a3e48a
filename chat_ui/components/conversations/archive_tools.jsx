// Exports, imports, and the deletion of everything.

import { useRef, useState } from "react";
import { forgetAll } from "../offline/copies.js";
import { KeptHere } from "../offline/kept_here.jsx";
import { request } from "./requests.js";

const IMPORT_FAILED = "The file could not be imported. Try again in a little while.";
const MOST_IMPORTED_MB = 64;
const IMPORT_TOO_LARGE = `The file is too large to be imported: more than ${MOST_IMPORTED_MB} MB, or more than a proxy in between lets through.`;

// The outcome of an import in words: the server's where it has any.
export async function importWords(response) {
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

export function ArchiveTools({ address, reload, onGone }) {
  const [outcome, setOutcome] = useState("");
  const [asking, setAsking] = useState(false);
  const [opened, setOpened] = useState(0);
  const file = useRef(null);

  const take = (chosen) => {
    if (chosen.size > MOST_IMPORTED_MB * 1024 * 1024) {
      setOutcome(IMPORT_TOO_LARGE);
      return;
    }
    fetch(`${address}import`, { method: "POST", credentials: "same-origin", body: chosen })
      .then(importWords)
      .then(setOutcome, () => setOutcome(IMPORT_FAILED))
      .then(reload);
  };
  const deleteAll = () =>
    request(address, "DELETE").then(
      () => {
        setAsking(false);
        forgetAll();
        setOutcome("Everything of yours was deleted.");
        onGone?.("");
        reload();
      },
      () => setOutcome("It could not be deleted. Try again in a little while."),
    );
  return (
    <details className="taking" onToggle={() => setOpened((times) => times + 1)}>
      <summary>Export, import, delete</summary>
      <p>
        <a href={`${address}export`} download="">
          Export all
        </a>
      </p>
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
      <KeptHere revision={opened} />
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
