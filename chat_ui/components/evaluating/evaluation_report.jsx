// The report on a set of questions. It is a document without an origin, which knows nothing of the page.

import { useContext, useEffect, useId, useRef, useState } from "react";
import { ColorModeContext } from "$/utils/context";
import { t } from "../languages/language.js";
import { FramedDialog } from "../shared/framed_dialog.jsx";
import { momentOf } from "../shared/moments.js";

// As the server bounds it.
const SANDBOX = ["allow-scripts", "allow-popups", "allow-popups-to-escape-sandbox"].join(" ");

const nameOf = ({ name, at, model }) => [name, momentOf(at), model].filter(Boolean).join(", ");

// Has the report be written, which may take some seconds; resolves with why that cannot be done, if it cannot.
async function problemWith(address, signal) {
  const notLoaded = () => t("That could not be loaded. Try again in a little while.");
  try {
    const ready = await fetch(address, { method: "HEAD", credentials: "same-origin", signal });
    if (ready.ok) return "";
    const response = await fetch(address, { credentials: "same-origin", signal });
    const isOwn = response.headers.get("Content-Type")?.startsWith("text/plain");
    return isOwn ? await response.text() : notLoaded();
  } catch {
    signal.throwIfAborted();
    return notLoaded();
  }
}

export function EvaluationReport({ run, others, address, onClose }) {
  const [against, setAgainst] = useState("");
  // Whether it is written, or why it cannot be.
  const [written, setWritten] = useState({ address: "", problem: "" });
  const [isLoaded, setLoaded] = useState(false);
  const frame = useRef(/** @type {HTMLIFrameElement | null} */ (null));
  // It stays as it was opened, whatever is answered meanwhile.
  const [answered] = useState(run.done);
  const field = useId();
  const { resolvedColorMode } = useContext(ColorModeContext);
  const report = `${address}/${run.id}/report?against=${against}`;
  const shown = `${report}&scheme=${resolvedColorMode}`;

  useEffect(() => {
    const gone = new AbortController();
    setWritten({ address: "", problem: "" });
    setLoaded(false);
    problemWith(shown, gone.signal).then(
      (problem) => setWritten(problem ? { address: "", problem } : { address: shown, problem: "" }),
      () => {},
    );
    return () => gone.abort();
  }, [shown]);
  useEffect(() => {
    const heard = ({ source, data }) =>
      source === frame.current?.contentWindow && data === "chat-ui-report-escape" && onClose();
    window.addEventListener("message", heard);
    return () => window.removeEventListener("message", heard);
  }, [onClose]);

  return (
    <FramedDialog
      className="evaluation-report"
      maxWidth="72rem"
      title={t("Report")}
      description={t("{name}: {done} of {count} answered.", { name: run.name, done: answered, count: run.count })}
      before={
        <>
          <a className="button" href={`${report}&as=file`} download="">
            {t("Download the report")}
          </a>
          <a className="button" href={`${address}/${run.id}/results`} download="">
            {t("Download the results")}
          </a>
        </>
      }
      onClose={onClose}
    >
      {others.length > 0 && (
        <div className="evaluation-against">
          <label htmlFor={field}>{t("Compare with")}</label>
          <select id={field} className="input" value={against} onChange={({ target }) => setAgainst(target.value)}>
            <option value="">{t("No other")}</option>
            {others.map((other) => (
              <option key={other.id} value={other.id}>
                {nameOf(other)}
              </option>
            ))}
          </select>
        </div>
      )}
      <p role="status" className="evaluation-note">
        {!isLoaded && !written.problem && t("The report is being written…")}
      </p>
      <div role="alert" className="evaluation-note">
        {written.problem && <p className="callout callout-error">{written.problem}</p>}
      </div>
      {written.address && (
        <iframe
          ref={frame}
          key={written.address}
          title={t("Report")}
          src={written.address}
          sandbox={SANDBOX}
          data-loading={!isLoaded || undefined}
          onLoad={() => setLoaded(true)}
        />
      )}
    </FramedDialog>
  );
}
