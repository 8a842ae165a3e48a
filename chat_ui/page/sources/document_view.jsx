// A document: a bar with pages, zoom and links, the cited passage, and the viewer of its format.

import { ArrowLeft, ChevronLeft, ChevronRight, Download, ExternalLink, X, ZoomIn, ZoomOut } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { t } from "../languages/language.js";
import { element } from "../shared/element.js";
import { IconButton } from "../shared/button.jsx";
import { announce } from "../announcing/announcer.jsx";
import { NotLoaded, needed, untilLoaded, wordsFor } from "../shared/loading.js";
import { isNarrow } from "../shared/narrow.js";
import { mark } from "./passage_marks.js";

// Of a claim, as much as an address holds through proxies in any script.
const MOST_CLAIM = 600;
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

/** A part of a document that the server has marked, at the passage or at a block of its outline. */
async function showRead(scroller, address, { html, claim }, place, block, signal) {
  const asked = new URLSearchParams({ claim: claim.slice(0, MOST_CLAIM), place, ...(block && { block }) });
  const response = await fetch(`${address}?${asked}`, { credentials: "same-origin", signal });
  if (!response.ok) throw await refused(response);
  const [read, { textNotes }] = await Promise.all([response.json(), import("./passage_note.jsx")]);
  if (signal.aborted) return read;
  scroller.replaceChildren(element("div", { className: "document-text", innerHTML: read.html }));
  scroller.scrollTo(0, 0);
  const passage = showPassage(scroller, read.at);
  const isLost = Boolean(html && !passage && !read.problem && !block);
  return { ...read, isLost, notes: () => isLost && textNotes(0) };
}

/** Shows the marked passage, of which a long one begins at the top; without one, a block. */
function showPassage(scroller, block) {
  const passage = scroller.querySelector("mark.passage-part");
  const isLong = passage?.offsetHeight > scroller.clientHeight / 2;
  if (passage) passage.scrollIntoView({ block: isLong ? "start" : "center" });
  else showBlock(scroller, block);
  return passage;
}

function showBlock(scroller, block) {
  const shown = scroller.querySelector(`[data-block="${block}"]`);
  shown?.scrollIntoView();
  return shown;
}

async function showText(scroller, address, { html }, signal) {
  const response = await fetch(`${address}/shown`, { credentials: "same-origin", signal });
  if (!response.ok) throw await refused(response);
  const [body, { markPassage }] = await Promise.all([response.text(), import("./document_marks.js")]);
  scroller.replaceChildren(element("div", { className: "document-text", innerHTML: body }));
  return markPassage(scroller, html);
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

/** The headings of a document, one of which is chosen to be shown. */
function Outline({ headings, onChosen }) {
  const least = Math.min(...headings.map(([, level]) => level));
  return (
    <select className="document-outline" aria-label={t("Contents")} onChange={(event) => onChosen(event.target.value)}>
      <option value="">{t("Contents")}</option>
      {headings.map(([block, level, text]) => (
        <option key={block} value={block}>
          {"\u2003".repeat(level - least) + text}
        </option>
      ))}
    </select>
  );
}

export function DocumentView({ address, kind, name, title, line, page, place, passage, readAt, onBack, onClose }) {
  const frame = useRef(null);
  const scroller = useRef(null);
  const pdf = useRef(null);
  const [pages, setPages] = useState(0);
  const [number, setNumber] = useState(page || 1);
  const [zoom, setZoom] = useState(1);
  const [unread, setUnread] = useState(null);
  const [undrawn, setUndrawn] = useState(0);
  const [partly, setPartly] = useState(0);
  // The passage in the document: its notes and, in a PDF, its marks.
  const [found, setFound] = useState(null);
  const [busy, setBusy] = useState(true);
  const [read, setRead] = useState(null);
  const [block, setBlock] = useState("");
  const isText = ["markdown", "html", "text"].includes(kind);
  const isRead = !isText && !["pdf", "image", "file"].includes(kind);
  const isFile = kind === "file" || Boolean(read?.problem);

  useEffect(() => frame.current.focus({ preventScroll: true }), []);

  // Another document is loaded again. Another page or passage of the same document keeps it.
  useEffect(() => {
    setUnread(null);
    setUndrawn(0);
    setPages(0);
    setPartly(0);
    setFound(null);
    setBusy(true);
    scroller.current.replaceChildren();
    const open = async (signal) => {
      if (isText) {
        setFound(await showText(scroller.current, address, passage, signal));
      } else if (isRead) {
        const shown = await showRead(scroller.current, readAt, passage, place, block, signal);
        if (!signal.aborted) {
          setRead(shown);
          setFound(shown);
        }
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
  }, [address, kind, isRead && passage, block]);

  useEffect(() => {
    setBlock("");
    setRead(null);
  }, [address, passage]);

  useEffect(() => {
    let isLeft = false;
    setNumber(page || 1);
    pdf.current?.locate(passage.html, page).then((located) => {
      if (isLeft) return;
      setFound({ ...located, passage });
      setNumber(located.start);
    });
    return () => {
      isLeft = true;
    };
  }, [pages, page, passage]);

  useEffect(() => {
    if (!isText || busy) return;
    needed(() => import("./document_marks.js")).then((marks) => {
      const root = scroller.current;
      if (root && marks) setFound(marks.markPassage(root, passage.html));
    });
  }, [passage]);

  const shownNumber = pages ? Math.min(number, pages) : number;
  useEffect(() => {
    if (!pages || !pdf.current || found?.passage !== passage) return undefined;
    let width = scroller.current.clientWidth;
    const show = () =>
      pdf.current
        ?.show(scroller.current, shownNumber, zoom, found.marks)
        .then((shown) => {
          if (!shown) return;
          setBusy(false);
          setUndrawn(0);
          setPartly(shown.partly && shownNumber);
          announce(shown.words);
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
  }, [pages, shownNumber, zoom, passage, found]);

  // A passage in sight stays there when the width or the size of the text changes, as in presentation mode.
  useEffect(() => {
    const passage = read && scroller.current.querySelector("mark.passage-part");
    if (!passage) return undefined;
    let isSeen = false;
    const seen = new IntersectionObserver(([{ isIntersecting }]) => (isSeen = isIntersecting));
    const resized = new ResizeObserver(() => isSeen && showPassage(scroller.current));
    seen.observe(passage);
    resized.observe(scroller.current.firstElementChild);
    return () => {
      seen.disconnect();
      resized.disconnect();
    };
  }, [read]);

  const choose = (heading) => {
    if (!heading && !block) showPassage(scroller.current, read.at);
    else if (!heading || !showBlock(scroller.current, heading)) setBlock(heading);
  };
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
        {read?.outline.length > 1 && <Outline headings={read.outline} onChosen={choose} />}
        {!isRefused && <Links address={address} name={name} inTab={kind === "file" || isRead ? "" : atPage} />}
        {button(t("Close sources"), X, onClose)}
      </div>
      {passage.html && (
        <details className="document-passage" open={Boolean(problem) || isFile || Boolean(read?.isLost) || isNarrow()}>
          <summary>{t("The passage")}</summary>
          <div dangerouslySetInnerHTML={{ __html: passage.html }} />
        </details>
      )}
      {!problem && !busy && found?.notes(shownNumber, setNumber)}
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
      {isFile && !problem && !busy && (
        <p className="document-note">
          {read?.problem ?? t("This kind of document cannot be shown here.")} {download}
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
        hidden={Boolean(problem) || isFile}
        onKeyDown={key}
      />
    </div>
  );
}
