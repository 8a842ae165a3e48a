// A PDF, shown by page, with a text layer for selection and highlights. Loaded with the first PDF.

import { GlobalWorkerOptions, TextLayer, getDocument, version } from "pdfjs-dist";
import workerUrl from "pdfjs-dist/build/pdf.worker.min.mjs?url";
import { t } from "../languages/language.js";
import { element } from "../shared/element.js";
import { partsOf, rangeOfPart, scrollTo } from "./document_marks.js";
import { lettersOf } from "./passage_marks.js";
import { noteOf, pdfNotes } from "./passage_note.jsx";
import { drawMark } from "./pdf_marks.js";

const MOST_PIXELS = 16_000_000;
// The width of a narrow panel, as in the stylesheet, and the least part of a page's width that fills it.
const NARROW = 448;
const LEAST_PART = 0.6;
// The pages in which a passage without a page is searched.
const MOST_SEARCHED = 50;

// `chat_ui/server/built_page.py` copies the files; pdf.js loads those that a document needs.
const FILES = `/assets/pdfjs-${version}`;

GlobalWorkerOptions.workerSrc = workerUrl;

export const unreadable = () => t("This PDF cannot be shown here.");

/** The PDF at `address`; if the server supports ranges, only visible parts are loaded. */
export async function openPdf(address) {
  const loading = getDocument({
    url: address,
    disableAutoFetch: true,
    disableStream: true,
    enableXfa: false,
    rangeChunkSize: 256 * 1024,
    cMapUrl: `${FILES}/cmaps/`,
    standardFontDataUrl: `${FILES}/standard_fonts/`,
    wasmUrl: `${FILES}/wasm/`,
    iccUrl: `${FILES}/iccs/`,
  });
  const pdf = await loading.promise;
  return { pages: pdf.numPages, close: () => loading.destroy(), show: pageShower(pdf), locate: locator(pdf) };
}

const textOf = async (pdf, number) => (await pdf.getPage(number)).getTextContent();

// The function that finds a passage: on its `named` page and the next one, else on any of the first pages. It returns the
// page to show, the notes, and the marked parts of each page as [start, end] of its letters.
function locator(pdf) {
  return async (html, named) => {
    const pages = pdf.numPages;
    const first = Math.min(named || 1, pages);
    const last = Math.min(pages, named ? first + 1 : MOST_SEARCHED);
    // A page is a paragraph, so that a mark does not go on to the next one.
    const text = element("div");
    const starts = [0];
    for (let number = first; number <= last && html; number += 1) {
      // An unreadable page is left out.
      const { items } = await textOf(pdf, number).catch(() => ({ items: [] }));
      const spans = items.filter((item) => item.str).map((item) => element("span", {}, item.str));
      text.append(element("p", {}, ...spans));
      starts.push(starts.at(-1) + lettersOf(text.lastElementChild).text.length);
    }
    const parts = partsOf(lettersOf(text), html, named ? starts[1] : undefined);
    const marks = parts && partsByPage(parts, starts, first);
    const notes = (number, onPage) => pdfNotes({ marks, named, pages }, number, onPage);
    return { marks, notes, start: named || (marks?.keys().next().value ?? 1) };
  };
}

function partsByPage(parts, starts, first) {
  /** @type {Map<number, [number, number][]>} */
  const pages = new Map();
  for (const [start, end] of parts.sort(([one], [other]) => one - other))
    for (const [index, offset] of starts.slice(0, -1).entries()) {
      const own = pages.get(first + index) ?? [];
      const from = Math.max(start - offset, own.at(-1)?.[1] ?? 0);
      const to = Math.min(end, starts[index + 1]) - offset;
      if (from < to) pages.set(first + index, [...own, [from, to]]);
    }
  return pages;
}

// Whether pdf.js left out a part of the page. It stores null for an image that cannot be decoded, and a string for an
// unreadable font.
async function isPartlyShown(page) {
  const failed = (objects) => [...objects].filter(([, one]) => one === null || typeof one === "string");
  if (failed(page.objs).length) return true;
  const shared = new Set(failed(page.commonObjs).map(([name]) => name));
  if (!shared.size) return false;
  const { argsArray } = await page.getOperatorList();
  return argsArray.some((names) => names && [...names].some((name) => shared.has(name)));
}

// The left and right edges of the text on a page in its viewport; null without text.
function edgesOf(items, viewport) {
  const ends = items.flatMap(({ str, transform, width }) => {
    // A matrix of zeros shows nothing.
    if (!str?.trim() || !(transform[0] || transform[1])) return [];
    const [a, b, , , x, y] = transform;
    const along = width / Math.hypot(a, b);
    return [viewport.convertToViewportPoint(x, y), viewport.convertToViewportPoint(x + along * a, y + along * b)];
  });
  const edges = ends.map(([x]) => x);
  return ends.length ? [Math.min(...edges), Math.max(...edges)] : null;
}

function pageShower(pdf) {
  let latest = 0;
  let rendering = null;

  // Shows a page in `scroller` with its `marks`. At zoom 1 the page is as wide as `scroller`, or its text if that is
  // narrow. Returns whether it is shown `partly`, and its announcement; null if another page was requested meanwhile.
  return async (scroller, number, zoom, marks) => {
    const turn = ++latest;
    rendering?.cancel();
    const page = await pdf.getPage(number);
    const content = await page.getTextContent();
    if (turn !== latest) return null;
    const whole = page.getViewport({ scale: 1 });
    const edges = scroller.clientWidth < NARROW && edgesOf(content.items, whole);
    const [left, right] = edges || [0, whole.width];
    const width = Math.min(whole.width, Math.max(right - left, LEAST_PART * whole.width));
    const scale = (Math.max(scroller.clientWidth - 16, 120) / width) * zoom;
    const viewport = page.getViewport({ scale });

    const canvas = element("canvas", { ariaHidden: "true" });
    const text = element("div", { className: "pdf-text" });
    const sheet = element("div", { className: "pdf-page" }, canvas, text);
    sheet.style.setProperty("--total-scale-factor", String(scale));
    sheet.style.width = `${viewport.width}px`;
    sheet.style.height = `${viewport.height}px`;
    const sharpness = Math.min(devicePixelRatio || 1, Math.sqrt(MOST_PIXELS / (viewport.width * viewport.height)));
    canvas.width = Math.floor(viewport.width * sharpness);
    canvas.height = Math.floor(viewport.height * sharpness);

    rendering = page.render({ canvas, viewport, transform: [sharpness, 0, 0, sharpness, 0, 0] });
    const layer = new TextLayer({ textContentSource: content, container: text, viewport });
    try {
      await Promise.all([rendering.promise, layer.render()]);
    } catch (error) {
      if (error?.name === "RenderingCancelledException") return null;
      throw error;
    }
    if (turn !== latest) return null;
    scroller.replaceChildren(sheet);
    scroller.scrollTop = 0;
    const [start, seen] = [sheet, scroller].map((one) => one.getBoundingClientRect().left);
    if (edges) scroller.scrollLeft += start + ((left + right - width) / 2) * scale - seen - 8;
    sheet.dataset.page = number;
    const parts = marks?.get(number) ?? [];
    const shown = lettersOf(text);
    const ranges = parts.map((part) => rangeOfPart(shown, part));
    const mark = drawMark(sheet, text, ranges);
    if (mark) scrollTo(scroller, mark);
    sheet.dataset.marks = String(mark ? parts.length : 0);
    const words = [
      t("Page {page} of {pages}.", { page: number, pages: pdf.numPages }),
      mark && t("The passage is marked."),
      noteOf(marks, number).words,
    ];
    return { partly: await isPartlyShown(page), words: words.filter(Boolean).join(" ") };
  };
}
