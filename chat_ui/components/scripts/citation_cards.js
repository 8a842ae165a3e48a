// What citations have in common on the whole page: a card when one is pointed at or focused, and the keys that go from one
// to the next: Alt and the arrows down and up.

import { createElement, useEffect, useRef } from "react";
import { citationsOf } from "./claims.js";

const DELAY = 150;
const CITATION = ".answer-text [data-use]";
const ID = "citation-card";
const KEYS =
  '<p class="card-keys"><kbd>Enter</kbd> opens it, <kbd>Alt</kbd> + <kbd>↓</kbd> goes to the next, <kbd>Alt</kbd> + <kbd>↑</kbd> back</p>';

function cardsOf(cache, answer) {
  const address = answer.dataset.address;
  const growing = answer.closest("[aria-busy=true]") !== null;
  if (cache.has(address) && !growing) return cache.get(address);
  const cards = fetch(`${address}/cards`, { credentials: "same-origin" }).then((response) =>
    response.ok ? response.json() : Promise.reject(response.status),
  );
  if (!growing) {
    cache.set(address, cards);
    cards.catch(() => cache.delete(address));
  }
  return cards;
}

function place(card, citation) {
  const at = citation.getBoundingClientRect();
  const { width, height } = card.getBoundingClientRect();
  const below = at.bottom + 8 + height <= innerHeight || at.top - 8 - height < 0;
  card.style.top = `${below ? at.bottom + 8 : at.top - 8 - height}px`;
  card.style.left = `${Math.max(8, Math.min(innerWidth - width - 8, at.left + at.width / 2 - width / 2))}px`;
}

// The citation after or before where the reader is: a citation, some other place in an answer, or the Sources beside it.
function neighbour(step) {
  const focused = document.activeElement;
  const active = document.querySelector(".citation[data-active]");
  const inSources = focused?.closest(".sources-panel") && active;
  const from = inSources ? active : focused;
  const article = from?.closest(".answer") ?? [...document.querySelectorAll("article.answer")].at(-1);
  const answer = article?.querySelector(".answer-text");
  if (!answer) return null;
  const citations = citationsOf(answer.dataset.address);
  const at = citations.indexOf(from);
  if (at >= 0) return citations[at + step] ?? null;
  const following = citations.findIndex((one) => from.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING);
  const isInside = article.contains(from) && from !== article;
  if (!isInside) return step > 0 ? citations[0] : citations.at(-1);
  return (step > 0 ? citations[following] : citations[(following < 0 ? citations.length : following) - 1]) ?? null;
}

export function CitationCards() {
  const root = useRef(null);

  useEffect(() => {
    const card = root.current;
    const cache = new Map();
    let shown = null;
    let timer = 0;

    const hide = () => {
      clearTimeout(timer);
      shown?.removeAttribute("aria-describedby");
      shown = null;
      card.hidden = true;
    };
    const show = async (citation) => {
      const answer = citation.closest(".answer-text");
      const { cards, uses } = await cardsOf(cache, answer);
      const html = cards[uses[Number(citation.dataset.use)]];
      if (!html || shown !== citation || !citation.isConnected) return;
      card.innerHTML = html;
      if (citation.matches(":focus-visible")) card.insertAdjacentHTML("beforeend", KEYS);
      card.hidden = false;
      citation.setAttribute("aria-describedby", ID);
      place(card, citation);
    };
    const later = (action) => {
      clearTimeout(timer);
      timer = setTimeout(action, DELAY);
    };
    const enter = (event) => {
      const citation = event.target.closest?.(CITATION);
      if (citation && citation !== shown) {
        later(() => {
          hide();
          shown = citation;
          show(citation).catch(hide);
        });
      } else if (citation || card.contains(event.target)) clearTimeout(timer);
    };
    const leave = (event) => {
      if (event.target.closest?.(CITATION) || card.contains(event.target)) later(hide);
    };
    const key = (event) => {
      if (event.key === "Escape") hide();
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step || !event.altKey || event.ctrlKey || event.metaKey) return;
      if (event.target.closest("textarea, input, select, [role=dialog]")) return;
      const citation = neighbour(step);
      if (!citation) return;
      event.preventDefault();
      // From within Sources the next source is wanted, not only the place.
      const wasInSources = event.target.closest(".sources-panel") !== null;
      citation.scrollIntoView({ block: "nearest" });
      if (wasInSources) citation.click();
      else citation.focus();
    };

    const listeners = { pointerover: enter, pointerout: leave, focusin: enter, focusout: leave, keydown: key, click: hide };
    for (const [name, listener] of Object.entries(listeners)) document.addEventListener(name, listener);
    document.addEventListener("scroll", hide, { capture: true, passive: true });
    return () => {
      hide();
      for (const [name, listener] of Object.entries(listeners)) document.removeEventListener(name, listener);
      document.removeEventListener("scroll", hide, { capture: true });
    };
  }, []);

  return createElement("div", { ref: root, id: ID, className: "citation-card", role: "tooltip", hidden: true });
}
