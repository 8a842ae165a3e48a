// Shows the text of one answer: block by block from an event stream while it grows, as one document once it is settled.
// React renders an empty element and never looks inside again; what is inside is safe HTML made by the server.

import { createElement, useEffect, useRef } from "react";
import { announce } from "./announcer.js";

const RETRY_AFTER = 2000;

function reconcile(shown, fresh) {
  let old = shown.firstChild;
  for (let next = fresh.firstChild; next; ) {
    const node = next;
    next = next.nextSibling;
    if (!old) {
      shown.append(node);
      continue;
    }
    const following = old.nextSibling;
    if (!old.isEqualNode(node)) {
      const sameElement =
        old.nodeType === 1 && old.nodeName === node.nodeName && old.cloneNode().isEqualNode(node.cloneNode());
      if (sameElement) reconcile(old, node);
      else if (old.nodeType === 3 && node.nodeType === 3) old.data = node.data;
      else old.replaceWith(node);
    }
    old = following;
  }
  while (old) {
    const following = old.nextSibling;
    old.remove();
    old = following;
  }
}

function show(block, html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  reconcile(block, template.content);
}

// What of a growing answer a screen reader has not been told yet, up to the end of the last finished sentence.
function sentenceReader(root) {
  let told = 0;
  return (finished) => {
    const text = root.textContent;
    const fresh = text.slice(told);
    const end = finished ? fresh.length : Math.max(...[". ", "! ", "? ", "。"].map((mark) => fresh.lastIndexOf(mark))) + 1;
    if (end > 0) {
      told += end;
      announce(fresh.slice(0, end));
    }
  };
}

function follow(root, address) {
  const html = [];
  const changed = new Set();
  let length = 0;
  let frame = 0;
  const speak = sentenceReader(root);
  let speaking = 0;
  announce("Answering.");

  const paint = () => {
    frame = 0;
    while (root.children.length > length) root.lastChild.remove();
    for (const index of [...changed].sort((a, b) => a - b)) {
      if (index >= length) continue;
      while (root.children.length <= index) {
        const block = document.createElement("div");
        block.className = "block";
        block.dir = "auto";
        root.append(block);
      }
      show(root.children[index], html[index]);
    }
    changed.clear();
    speaking ||= setTimeout(() => {
      speaking = 0;
      speak(false);
    }, 1500);
  };

  let source;
  let retry = 0;
  const settle = () => {
    fetch(address, { credentials: "same-origin" })
      .then((response) => (response.ok ? response.text() : Promise.reject(response.status)))
      .then((text) => {
        root.innerHTML = text;
        speak(true);
        announce("The answer is finished.");
      })
      .catch(() => {
        retry = setTimeout(settle, RETRY_AFTER);
      });
  };
  const open = () => {
    source = new EventSource(address + "/stream");
    source.onmessage = (event) => {
      for (const [index, kept, added] of JSON.parse(event.data)) {
        if (kept === undefined) {
          html.length = length = index;
          continue;
        }
        html[index] = kept ? html[index].slice(0, kept) + added : added;
        length = Math.max(length, index + 1);
        changed.add(index);
      }
      frame ||= requestAnimationFrame(paint);
    };
    source.addEventListener("end", () => {
      source.close();
      clearTimeout(speaking);
      requestAnimationFrame(() => {
        speak(true);
        announce("The answer is finished.");
      });
    });
    source.addEventListener("lost", () => {
      source.close();
      settle();
    });
    // A lost connection is taken up again by the browser; a refused one means that the whole text is in the document.
    source.onerror = () => {
      if (source.readyState === EventSource.CLOSED) settle();
    };
  };
  open();
  return () => {
    source.close();
    cancelAnimationFrame(frame);
    clearTimeout(speaking);
    clearTimeout(retry);
  };
}

function load(root, address) {
  let retry = 0;
  const abort = new AbortController();
  const attempt = () =>
    fetch(address, { credentials: "same-origin", signal: abort.signal })
      .then((response) => (response.ok ? response.text() : Promise.reject(response.status)))
      .then((text) => {
        root.innerHTML = text;
      })
      .catch(() => {
        if (!abort.signal.aborted) retry = setTimeout(attempt, RETRY_AFTER);
      });
  attempt();
  return () => {
    abort.abort();
    clearTimeout(retry);
  };
}

export function AnswerText({ address, live, onCitation }) {
  const root = useRef(null);

  useEffect(() => (live ? follow(root.current, address) : load(root.current, address)), [address]);

  const click = (event) => {
    const citation = event.target.closest("[data-use]");
    if (citation) onCitation?.(Number(citation.dataset.use));
    const copy = event.target.closest("[data-copy]");
    if (copy) {
      navigator.clipboard
        .writeText(copy.closest(".code-block").querySelector("code").textContent)
        .then(() => announce("Code copied."))
        .catch(() => announce("The browser does not let this page copy."));
    }
  };

  return createElement("div", { ref: root, className: "answer-text", onClick: click });
}
