// The list of an answer's sources, and an opened document.

import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { createPortal } from "react-dom";
import { t } from "../languages/language.js";
import { announce } from "../announcing/announcer.jsx";
import { markClaim } from "./claims.js";
import { DocumentView } from "./document_view.jsx";
import { Fragment } from "./fragment.jsx";
import { Button } from "../shared/button.jsx";
import { fetched, needed, untilLoaded, wordsFor } from "../shared/loading.js";
import { useProvided } from "../shared/provided.js";
import { useBackStep } from "../shared/back_steps.js";
import { isNarrow } from "../shared/narrow.js";
import { useStep } from "./side_panel.jsx";

const OWN = "a, button, input, summary, [data-view], .doubt";

// The document that the button of a source opens.
function documentOf(item) {
  const button = item?.querySelector("[data-document]");
  if (!button) return null;
  const passage = item.querySelector(".passage");
  return {
    source: item.dataset.source,
    number: button.dataset.document,
    kind: button.dataset.kind,
    name: button.dataset.name,
    title: button.dataset.title,
    line: button.dataset.line,
    page: Number(button.dataset.page) || null,
    place: button.dataset.place,
    // A new object for each citation, so that its page is shown again.
    passage: { html: passage?.outerHTML ?? "", claim: item.dataset.claim ?? "" },
  };
}

// The button for a press on a source, unless another control or selected text is pressed.
function openerAt({ target }) {
  const card = target.closest(".sources > li");
  const isOther = target.closest(OWN) || !getSelection().isCollapsed;
  return target.closest("[data-document]") ?? (isOther ? null : card?.querySelector("[data-document]"));
}

// Scrolls the cited text into view, above a sheet.
function keepInSight(cited, panel) {
  const thread = document.querySelector(".thread");
  if (!cited || !thread) return;
  const at = cited.getBoundingClientRect();
  const { top, bottom } = thread.getBoundingClientRect();
  if (at.top >= top && at.bottom <= (isNarrow() ? panel.getBoundingClientRect().top : bottom)) return;
  thread.scrollTop += at.top - top - 16;
}

// The place below a citation's passage for a feature, and its content once loaded.
function useBelowPassage(isWanted) {
  const [place] = useState(() => document.createElement("div"));
  const [Citation, setCitation] = useState(null);
  const load = useProvided("below-passage");
  useEffect(() => {
    if (isWanted && load) needed(load).then((loaded) => loaded && setCitation(() => loaded.default));
  }, [isWanted, load]);
  const placeIn = useCallback((active) => {
    if (active?.dataset.source) active.append(place);
    else place.remove();
  }, []);
  return { place, placeIn, Citation: isWanted && load ? Citation : null };
}

export function SourcesPanel({ address, onClose, onSource, onStep }) {
  const content = useRef(null);
  const [opened, setOpened] = useState(null);
  // The opener of the document that is being left.
  const left = useRef("");
  const view = useRef(null);
  const [viewed, setViewed] = useState(null);
  const answer = address.split("/sources")[0];
  const asked = new URLSearchParams(address.split("?")[1]).get("use");
  const use = asked === null ? null : Number(asked);
  const below = useBelowPassage(use !== null);

  useLayoutEffect(() => {
    keepInSight(markClaim(answer, use), content.current.closest(".side-panel"));
  }, [address]);
  useEffect(() => () => void markClaim("", null), []);

  // Another citation opens its document in place of an open one, or the list without a document. A renewed list keeps
  // the document open.
  const listed = useCallback(
    (root, isRenewed) => {
      const active = root.querySelector("[data-active]");
      below.placeIn(active);
      if (!isRenewed) setOpened((before) => (before && active ? documentOf(active) : before));
      const marked = markClaim(answer, use, active?.dataset.claim);
      if (!isRenewed) keepInSight(marked, root.closest(".side-panel"));
    },
    [answer, use],
  );
  useEffect(() => setOpened(null), [answer]);
  // A hidden list could not scroll to the active source.
  useEffect(() => {
    if (!opened) content.current.querySelector("[data-active]")?.scrollIntoView({ block: "nearest" });
  }, [opened]);

  // The panel keeps the focus, so that the next key reaches it.
  useLayoutEffect(() => {
    if (opened || !left.current) return;
    const panel = content.current.closest(".side-panel");
    (content.current.querySelector(left.current) ?? panel).focus();
    left.current = "";
  }, [opened]);
  useLayoutEffect(() => {
    if (viewed) view.current.showModal();
  }, [viewed]);

  const back = () => {
    left.current = `[data-source="${opened.source}"] [data-document]`;
    setOpened(null);
  };
  useStep(opened && back);
  useBackStep(Boolean(viewed), () => view.current?.close());
  const unfold = (button) => {
    if (button.ariaBusy) return;
    button.ariaBusy = "true";
    const load = async (signal) => {
      const html = await (
        await fetched(address.replace("/sources", `/passages/${button.dataset.unfold}`), signal)
      ).text();
      const item = button.closest("li");
      if (!button.isConnected || !item) return;
      button.closest(".folded").outerHTML = html;
      item.tabIndex = -1;
      item.focus({ preventScroll: true });
    };
    untilLoaded(load, (failures, isLast) => {
      announce(wordsFor(failures, isLast));
      if (isLast) button.ariaBusy = null;
    });
  };
  const click = (event) => {
    const image = event.target.closest("[data-view]")?.querySelector("img");
    if (image) setViewed({ src: image.src, alt: image.alt });
    const folded = event.target.closest("[data-unfold]");
    if (folded) unfold(folded);
    const opener = openerAt(event);
    if (opener) setOpened(documentOf(opener.closest("li")));
  };

  return (
    <div ref={content} className="sources-content">
      <div hidden={Boolean(opened)} onClick={click}>
        <Fragment address={address} onShown={listed} onSource={onSource} onStep={onStep} />
        {below.Citation && createPortal(<below.Citation key={address} address={answer} use={use} />, below.place)}
      </div>
      {viewed && (
        <dialog
          ref={view}
          className="image-view"
          aria-label={viewed.alt || t("Image")}
          onKeyDown={(event) => event.stopPropagation()}
          onClose={() => setViewed(null)}
          onClick={() => view.current.close()}
        >
          <img src={viewed.src} alt={viewed.alt} />
          <Button autoFocus>{t("Close the image")}</Button>
        </dialog>
      )}
      {opened && (
        <DocumentView
          {...opened}
          address={`${answer}/documents/${opened.number}`}
          readAt={`${answer}/documents/${opened.source}/shown`}
          onBack={back}
          onClose={onClose}
        />
      )}
    </div>
  );
}
