// A document: a bar with pages, zoom and links, the cited passage, and the viewer of its format.

import { ArrowLeft, ChevronLeft, ChevronRight, Download, ExternalLink, X, ZoomIn, ZoomOut } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { t, tn } from "../languages/language.js";
import { element } from "../shared/element.js";
import { IconButton } from "../shared/button.jsx";
import { announce } from "../announcing/announcer.jsx";
import { NotLoaded, needed, untilLoaded, wordsFor } from "../shared/loading.js";
import { isNarrow } from "../shared/narrow.js";
import { mark } from "./passage_marks.js";

const ZOOMS = [0.5, 0.75, 1, 1.25, 1.5, 2, 3, 4];

// The server refuses the document: the download and the browser's viewer would be refused too.
class Refused extends Error {
  isFinal = true;
}

// A reason of this page's server is shown. Other errors come from a proxy, and are temporary.
async function refused(response) {
  const words = response.headers.get("content-type")?.startsWith("text/plain") && (await response.text());
  return words ? new Refused(words) : new NotLoaded(response);
}

async function checkGiven(address) {
  const response = await fetch(address, { credentials: "same-origin", headers: { Range: "bytes=0-0" } });
  if (!response.ok) throw await refused(response);
  response.body?.cancel().catch(() => {});
}

async function showText(scroller, address, { html }, signal) {
  const response = await fetch(`${address}/shown`, { credentials: "same-origin", signal });
  if (!response.ok) throw await refused(response);
  const [body, { markPassage }] = await Promise.all([response.text(), import("./document_marks.js")]);
  scroller.replaceChildren(element("div", { className: "document-text", innerHTML: body }));
  scroller.dataset.marks = markPassage(scroller, scroller, html);
}

const Link = ({ href, label, title = label, sign: Sign, ...rest }) => (
  <a href={href} aria-label={label} title={title} {...rest}>
    <Sign size={16} aria-hidden />
  </a>
);

/** The links to the document itself. */
function Links({ address, name, inTab }) {
  const label = t("Download {document}", { document: name });
  const file = { href: `${address}?download`, download: true, className: "tool document-download" };
  const tab = { href: inTab, target: "_blank", rel: "noopener", className: "tool" };
  return (
    <>
      <Link label={label} title={t("Download")} sign={Download} {...file} />
      {inTab && <Link label={t("Open in a new tab")} sign={ExternalLink} {...tab} />}
    </>
  );
}

export function DocumentView({ address, kind, name, title, line, page, passage, onBack, onClose }) {
  const frame = useRef(null);
  const scroller = useRef(null);
  const pdf = useRef(null);
  const [pages, setPages] = useState(0);
  const [number, setNumber] = useState(page || 1);
  const [zoom, setZoom] = useState(1);
  const [unread, setUnread] = useState(null);
  const [undrawn, setUndrawn] = useState(0);
  const [partly, setPartly] = useState(0);
  const [busy, setBusy] = useState(true);
  const isText = ["markdown", "html", "text", "csv"].includes(kind);

  useEffect(() => frame.current.focus({ preventScroll: true }), []);

  // Another document is loaded again. Another page or passage of the same document keeps it.
  useEffect(() => {
    setUnread(null);
    setUndrawn(0);
    setPages(0);
    setPartly(0);
    setBusy(true);
    scroller.current.replaceChildren();
    const open = async (signal) => {
      if (isText) {
        await showText(scroller.current, address, passage, signal);
      } else if (kind === "pdf") {
        const { openPdf, unreadable } = await import("./pdf_view.js");
        const opened = await openPdf(address).catch(async () => {
          await checkGiven(address);
          throw Object.assign(new Error(unreadable()), { isFinal: true });
        });
        if (signal.aborted) return opened.close();
        pdf.current = opened;
        setPages(opened.pages);
      } else {
        await checkGiven(address);
        const image = { className: "document-img", src: address, alt: name };
        if (kind === "image" && !signal.aborted) scroller.current.replaceChildren(element("img", image));
      }
      if (signal.aborted) return undefined;
      if (kind !== "pdf") setBusy(false);
      return setUnread(null);
    };
    const leave = untilLoaded(open, (failures, isLast, error) => {
      const words = wordsFor(failures, isLast);
      if (words) setBusy(false);
      setUnread(isLast ? error : words && new Error(words));
    });
    return () => {
      leave();
      pdf.current?.close();
      pdf.current = null;
      mark("passage", []);
    };
  }, [address, kind]);

  useEffect(() => setNumber(page || 1), [address, page, passage]);

  useEffect(() => {
    if (!isText || busy) return;
    needed(() => import("./document_marks.js")).then((marks) => {
      const root = scroller.current;
      if (root && marks) root.dataset.marks = marks.markPassage(root, root, passage.html);
    });
  }, [passage]);

  const shownNumber = pages ? Math.min(number, pages) : number;
  useEffect(() => {
    if (!pages || !pdf.current) return undefined;
    let width = scroller.current.clientWidth;
    const show = () =>
      pdf.current
        ?.show(scroller.current, shownNumber, zoom, passage.html)
        .then((shown) => {
          if (!shown) return;
          setBusy(false);
          setUndrawn(0);
          setPartly(shown.partly && shownNumber);
          announce(t("Page {page} of {pages}.", { page: shownNumber, pages }));
        })
        .catch(() => setUndrawn(shownNumber));
    show();
    let waiting = 0;
    const resized = new ResizeObserver(() => {
      if (!scroller.current || Math.abs(scroller.current.clientWidth - width) < 2) return;
      width = scroller.current.clientWidth;
      clearTimeout(waiting);
      waiting = setTimeout(show, 150);
    });
    resized.observe(scroller.current);
    return () => {
      resized.disconnect();
      clearTimeout(waiting);
    };
  }, [pages, shownNumber, zoom, passage]);

  const turn = (by) => setNumber(Math.max(1, Math.min(pages, shownNumber + by)));
  const zoomed = (by) => setZoom(ZOOMS[Math.max(0, Math.min(ZOOMS.length - 1, ZOOMS.indexOf(zoom) + by))]);
  const button = (label, Sign, onClick, disabled = false, className = "") => (
    <IconButton label={label} onClick={onClick} disabled={disabled} className={className} sign={Sign} />
  );
  const key = (event) => {
    if (!pages || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "PageDown") turn(1);
    else if (event.key === "PageUp") turn(-1);
    else if (event.key === "+") zoomed(1);
    else if (event.key === "-") zoomed(-1);
    else return;
    event.preventDefault();
  };

  const problem =
    unread ??
    (undrawn === shownNumber ? new Error(t("Page {page} cannot be shown here.", { page: shownNumber })) : null);
  const isRefused = problem instanceof Refused;
  // An HTML document opens as its safe text, without remote content.
  const download = (
    <a href={`${address}?download`} download>
      {t("Download {document}", { document: name })}
    </a>
  );
  const atPage = { pdf: `${address}#page=${shownNumber}`, html: `${address}/shown` }[kind] ?? address;
  return (
    <div
      ref={frame}
      className="document"
      role="group"
      aria-label={t("Document {document}", { document: name })}
      tabIndex={-1}
    >
      <div className="document-bar">
        {button(t("Back to sources"), ArrowLeft, onBack)}
        <span className="document-name" dir="auto" title={name}>
          <strong>{title}</strong> <span>{pages ? line.split(" · ")[0] : line}</span>
        </span>
        {pages > 0 && (
          <span className="document-pages">
            {button(t("Previous page"), ChevronLeft, () => turn(-1), shownNumber <= 1)}
            <input
              type="number"
              inputMode="numeric"
              enterKeyHint="go"
              className="document-page"
              aria-label={t("Page")}
              min={1}
              max={pages}
              value={shownNumber}
              onChange={(event) => event.target.value && setNumber(Math.max(1, Math.trunc(Number(event.target.value))))}
            />
            <span>{t("of {pages}", { pages })}</span>
            {button(t("Next page"), ChevronRight, () => turn(1), shownNumber >= pages)}
            {button(t("Zoom out"), ZoomOut, () => zoomed(-1), zoom === ZOOMS[0], "document-zoom")}
            {button(t("Zoom in"), ZoomIn, () => zoomed(1), zoom === ZOOMS.at(-1), "document-zoom")}
          </span>
        )}
        {!isRefused && <Links address={address} name={name} inTab={kind === "file" ? "" : atPage} />}
        {button(t("Close sources"), X, onClose)}
      </div>
      {passage.html && (
        <details className="document-passage" open={Boolean(problem) || kind === "file" || isNarrow()}>
          <summary>{t("The passage")}</summary>
          <div dangerouslySetInnerHTML={{ __html: passage.html }} />
        </details>
      )}
      {pages > 0 && page > pages && shownNumber === pages && (
        <p role="note" className="document-note">
          {tn(
            "The source names page {page}, but this document has one page.",
            "The source names page {page}, but this document has {count} pages.",
            pages,
            { page },
          )}
        </p>
      )}
      {problem && (
        <div role="alert" className="callout callout-error">
          <p>{problem.message}</p>
          {kind === "pdf" && !isRefused && (
            <>
              <a href={atPage} target="_blank" rel="noopener">
                {t("Use the browser's PDF viewer")}
              </a>
              {download}
            </>
          )}
        </div>
      )}
      {partly === shownNumber && !problem && (
        <p role="note" className="document-note">
          {t("Not all of page {page} can be shown here.", { page: shownNumber })} {download}
        </p>
      )}
      {kind === "file" && !problem && !busy && (
        <p className="document-note">
          {t("This kind of document cannot be shown here.")} {download}
        </p>
      )}
      <div
        ref={scroller}
        className="document-body"
        tabIndex={0}
        role="region"
        aria-label={
          pages ? t("{document}, page {page} of {pages}", { document: name, page: shownNumber, pages }) : name
        }
        aria-busy={busy && !problem}
        hidden={Boolean(problem) || kind === "file"}
        onKeyDown={key}
      />
    </div>
  );
}
