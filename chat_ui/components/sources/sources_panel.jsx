// The list of the sources of an answer, and the document of one of them when it is opened.

import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { announce } from "../speech/announcer.jsx";
import { markClaim } from "./claims.js";
import { DocumentView } from "./document_view.jsx";
import { Fragment } from "./fragment.jsx";
import { markPassages } from "../speech/languages.js";
import { fetched, untilLoaded, wordsFor } from "../shared/loading.js";
import { useStep } from "./side_panel.jsx";

// The document that the button of a source opens.
function documentOf(item) {
  const button = item?.querySelector("[data-document]");
  if (!button) return null;
  const passage = item.querySelector(".passage");
  const marks = [...(passage?.querySelectorAll("mark") ?? [])];
  return {
    source: item.dataset.source,
    number: button.dataset.document,
    kind: button.dataset.kind,
    name: button.dataset.name,
    page: Number(button.dataset.page) || null,
    sentences: (marks.length ? marks : passage ? [passage] : []).map((element) => element.textContent),
    passage: passage?.outerHTML ?? "",
  };
}

export function SourcesPanel({ address }) {
  const content = useRef(null);
  const [opened, setOpened] = useState(null);
  const view = useRef(null);
  const [viewed, setViewed] = useState(null);
  const answer = address.split("/sources")[0];
  const asked = new URLSearchParams(address.split("?")[1]).get("use");
  const use = asked === null ? null : Number(asked);

  useLayoutEffect(() => {
    markClaim(answer, use);
  }, [address]);
  useEffect(() => () => markClaim("", null), []);

  // Another citation while a document is open shows its own document, or the list where it has none. A list that is only
  // renewed leaves the document open.
  const listed = useCallback(
    (root, isRenewed) => {
      const active = root.querySelector("[data-active]");
      if (!isRenewed) setOpened((before) => (before && active ? documentOf(active) : before));
      markClaim(answer, use, active?.dataset.claim);
    },
    [answer, use],
  );
  useEffect(() => setOpened(null), [answer]);
  // Scrolling to the active source had no effect while the list was hidden.
  useEffect(() => {
    if (!opened) content.current.querySelector("[data-active]")?.scrollIntoView({ block: "nearest" });
  }, [opened]);

  const back = () => {
    const opener = `[data-source="${opened.source}"] [data-document]`;
    setOpened(null);
    requestAnimationFrame(() => content.current?.querySelector(opener)?.focus());
  };
  useStep(opened && back);
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
      markPassages(item);
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
    if (image) {
      setViewed({ src: image.src, alt: image.alt });
      requestAnimationFrame(() => view.current?.showModal());
    }
    const folded = event.target.closest("[data-unfold]");
    if (folded) unfold(folded);
    const button = event.target.closest("[data-document]");
    if (!button) return;
    setOpened(documentOf(button.closest("li")));
  };

  return (
    <div ref={content} className="sources-content">
      <p className="sources-keys">
        <kbd>Alt</kbd>
        {" + "}
        <kbd>↓</kbd>
        {" next citation, "}
        <kbd>Alt</kbd>
        {" + "}
        <kbd>↑</kbd>
        {" the one before"}
      </p>
      <div hidden={Boolean(opened)} onClick={click}>
        <Fragment address={address} onShown={listed} />
      </div>
      {viewed && (
        <dialog
          ref={view}
          className="image-view"
          aria-label={viewed.alt || "Image"}
          onKeyDown={(event) => event.stopPropagation()}
          onClose={() => setViewed(null)}
          onClick={() => view.current.close()}
        >
          <img src={viewed.src} alt={viewed.alt} />
          <button type="button" className="button" autoFocus>
            Close the image
          </button>
        </dialog>
      )}
      {opened && (
        <div className="document-frame">
          {opened.passage && (
            <details className="document-passage" open>
              <summary>The passage</summary>
              <div dangerouslySetInnerHTML={{ __html: opened.passage }} />
            </details>
          )}
          <DocumentView
            address={`${answer}/documents/${opened.number}`}
            kind={opened.kind}
            name={opened.name}
            page={opened.page}
            sentences={opened.sentences}
            onClose={back}
          />
        </div>
      )}
    </div>
  );
}
