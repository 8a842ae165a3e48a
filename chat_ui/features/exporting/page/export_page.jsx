// The dialog Export: the format, then for a page the export's contents, and possible secrets in it.

import { Download, ShieldCheck, TriangleAlert } from "lucide-react";
import { useEffect, useId, useState } from "react";
import { t, tn } from "../../../page/languages/language.js";
import { Button } from "../../../page/shared/button.jsx";
import { FramedDialog } from "../../../page/shared/framed_dialog.jsx";
import { adopt } from "../../../page/shared/stylesheets.js";
import rules from "./export_page.css?inline";
import { download } from "../../../page/shared/loading.js";

adopt(rules);

/**
 * @typedef {{ count: number, bytes: number }} Amount
 * @typedef {{ kind: string, where: string, around: string }} Suspect
 * @typedef {{ questions: Amount, answers: Amount, recorded: number, sources: Amount, thoughts: Amount, pages: Amount,
 *   backends: string[], suspects: Suspect[], found: number, cited: number, missing: number,
 *   is_compared: boolean }} Contents
 */

/** @param {number} bytes */
function sizeOf(bytes) {
  const [unit, value] = bytes < 1e6 ? ["kilobyte", bytes / 1e3] : ["megabyte", bytes / 1e6];
  /** @type {Intl.NumberFormatOptions} */
  const format = { style: "unit", unit, unitDisplay: "short", maximumFractionDigits: value < 10 ? 1 : 0 };
  return new Intl.NumberFormat(document.documentElement.lang, format).format(value);
}

/** @param {{ count: number, bytes?: number }} amount */
const amountOf = ({ count, bytes = 0 }) => (count && bytes >= 1000 ? `${count} · ${sizeOf(bytes)}` : String(count));

/** @param {{ thoughts: boolean, documents: boolean, backend: boolean }} chosen */
const queryOf = ({ thoughts, documents, backend }) =>
  `thoughts=${thoughts ? "yes" : "no"}&documents=${documents ? "yes" : "no"}&backend=${backend ? "yes" : "no"}`;

/** The contents of an export with these choices, or a text for the person on failure. */
export function useContents(address, chosen) {
  const [known, setKnown] = useState({ contents: null, problem: "", isOld: true });
  const query = queryOf(chosen);
  useEffect(() => {
    const left = new AbortController();
    setKnown((before) => ({ ...before, problem: "", isOld: true }));
    fetch(`${address}/contents?${query}`, { credentials: "same-origin", signal: left.signal })
      .then(async (response) =>
        response.ok ? { contents: await response.json() } : { problem: await response.text() },
      )
      .catch(() => ({ problem: t("The contents cannot be listed at the moment. Try again in a moment.") }))
      .then((found) => left.signal.aborted || setKnown({ contents: null, problem: "", isOld: false, ...found }));
    return () => left.abort();
  }, [address, query]);
  return known;
}

/** @param {{ name: string, help?: string, amount?: { count: number, bytes?: number } }} row */
const Row = ({ name, help, amount }) => (
  <>
    <span className="export-words">
      <span>{name}</span>
      {help && <span className="field-help">{help}</span>}
    </span>
    {amount && <span className="field-help export-size">{amountOf(amount)}</span>}
  </>
);

/** @param {import("react").ComponentProps<typeof Row>} row */
const Part = (row) => (
  <li className="export-part">
    <Row {...row} />
  </li>
);

/**
 * @param {{ isChosen: boolean, isDisabled?: boolean, onChoose: (isChosen: boolean) => void }
 *   & import("react").ComponentProps<typeof Row>} props
 */
const Choice = ({ isChosen, isDisabled, onChoose, ...row }) => (
  <li>
    <label className="export-part">
      <input
        type="checkbox"
        checked={isChosen}
        disabled={isDisabled}
        onChange={(event) => onChoose(event.target.checked)}
      />
      <Row {...row} />
    </label>
  </li>
);

/** @param {{ contents: Contents }} props */
function Scan({ contents }) {
  const { suspects, found } = contents;
  if (!found)
    return (
      <p className="export-clean">
        <ShieldCheck size={16} aria-hidden />
        {t("No secrets found. Check for yourself that it is fit to share.")}
      </p>
    );
  const further = found - suspects.length;
  return (
    <div className="callout export-found">
      <TriangleAlert size={16} aria-hidden />
      <p>
        {tn(
          "1 text looks like a secret and would be included:",
          "{count} texts look like secrets and would be included:",
          found,
        )}
      </p>
      <ul>
        {suspects.map(({ kind, where, around }, index) => (
          <li key={index}>
            <strong>{kind}</strong> · <bdi>{where}</bdi>
            <span className="field-help" dir="auto">
              {around}
            </span>
          </li>
        ))}
      </ul>
      {further > 0 && <p>{tn("And 1 more.", "And {count} more.", further)}</p>}
    </div>
  );
}

/**
 * The contents of an export and possible secrets in it, with the choices of the person. With `namesBackends` false,
 * backends are not named.
 * @param {{ known: { contents: Contents | null, problem: string, isOld: boolean }, namesBackends?: boolean,
 *   chosen: { thoughts: boolean, documents: boolean, backend: boolean }, onChoose: (chosen: object) => void }} props
 */
export function GoesOut({ known, chosen, onChoose, namesBackends = true }) {
  const { contents, problem, isOld } = known;
  const choose = (name) => (isChosen) => onChoose({ ...chosen, [name]: isChosen });
  return (
    <>
      <section aria-labelledby="export-goes-out">
        <h2 id="export-goes-out" className="group-heading">
          {t("Included")}
        </h2>
        <ul className="export-parts">
          <Part
            name={t("Questions")}
            help={contents?.is_compared ? t("Only the left side of the comparison is included.") : undefined}
            amount={contents?.questions}
          />
          <Part
            name={t("Answers")}
            help={
              contents?.recorded
                ? tn(
                    "1 answer shows the date it was recorded.",
                    "{count} answers show the date they were recorded.",
                    contents.recorded,
                  )
                : undefined
            }
            amount={contents?.answers}
          />
          <Part name={t("Sources with their passages")} amount={contents?.sources} />
          <Choice
            name={t("Thoughts")}
            help={t("Steps of the backend, with its searches and prompts.")}
            amount={contents?.thoughts}
            isChosen={chosen.thoughts}
            isDisabled={contents?.thoughts.count === 0}
            onChoose={choose("thoughts")}
          />
          <Choice
            name={t("Cited documents")}
            help={
              chosen.documents && !isOld && contents?.missing
                ? tn("1 document could not be included.", "{count} documents could not be included.", contents.missing)
                : t("Texts, images and the cited pages of PDFs. Only documents you can open yourself are included.")
            }
            amount={contents && (chosen.documents && !isOld ? contents.pages : { count: contents.cited })}
            isChosen={chosen.documents}
            isDisabled={contents?.cited === 0}
            onChoose={choose("documents")}
          />
          {namesBackends && (
            <Choice
              name={t("Name of the backend")}
              help={contents?.backends.length ? contents.backends.join(", ") : undefined}
              isChosen={chosen.backend}
              onChoose={choose("backend")}
            />
          )}
        </ul>
      </section>
      <section aria-labelledby="export-secrets" aria-live="polite">
        <h2 id="export-secrets" className="group-heading">
          {t("Secret scan")}
        </h2>
        {problem && <p role="alert">{problem}</p>}
        {!problem && isOld && <p className="field-help">{t("Scanning…")}</p>}
        {!problem && !isOld && contents && <Scan contents={contents} />}
      </section>
    </>
  );
}

const formats = () => [
  // Translators: a file format, like Markdown and JSON.
  ["html", t("Web page")],
  ["markdown", "Markdown"],
  ["json", "JSON"],
];

const contentsOf = () => ({
  html: t("One file that opens in any browser, without a network. Each citation opens its source."),
  markdown: t("Questions, answers and their references as text."),
  json: t("All versions of the conversation. The file can be imported."),
});

/** A choice of one of the `values`, pairs of a value and its label, in a row. */
export function ChoiceRow({ legend, values, chosen, onChoose, children = undefined }) {
  const name = useId();
  return (
    <fieldset className="radio-choice">
      <legend className="field-label">{legend}</legend>
      <div className="choice-row">
        {values.map(([value, label]) => (
          <label key={value}>
            <input type="radio" name={name} checked={value === chosen} onChange={() => onChoose(value)} />
            {label}
          </label>
        ))}
      </div>
      {children}
    </fieldset>
  );
}

/** Exports the conversation with the id `exported`, served under `address`. */
export function ExportDialog({ address, exported, onClose }) {
  const [format, setFormat] = useState("html");
  const [chosen, setChosen] = useState({ thoughts: false, documents: false, backend: true });
  const file = `${address}${exported}/export`;
  const known = useContents(file, chosen);
  const isPage = format === "html";
  const isWaiting = isPage && known.isOld;
  const take = () => {
    download(`${file}?as=${format}&${queryOf(chosen)}`);
    onClose();
  };
  return (
    <FramedDialog
      maxWidth="34rem"
      title={t("Export")}
      canCancel
      after={
        <Button isPrimary disabled={isWaiting || (isPage && Boolean(known.problem))} onClick={take}>
          <Download size={16} aria-hidden /> {t("Export")}
        </Button>
      }
      body={{ "aria-busy": isWaiting }}
      onClose={onClose}
    >
      <ChoiceRow legend={t("Format")} values={formats()} chosen={format} onChoose={setFormat}>
        <p className="field-help">{contentsOf()[format]}</p>
      </ChoiceRow>
      {isPage && <GoesOut known={known} chosen={chosen} onChoose={setChosen} />}
    </FramedDialog>
  );
}
