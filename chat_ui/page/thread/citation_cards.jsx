// The citations of the page: the card of a citation under the pointer, the focus or a held finger, and the keys to the
// next one: Alt with the arrows down and up.

import { useEffect, useRef } from "react";
import { t } from "../languages/language.js";
import { isOn } from "../commands/shortcuts.js";
import { element } from "../shared/element.js";
import { hear, composes, isApple } from "../shared/hearing.js";
import { onEnd } from "./answer_ends.js";
import { bring, isToCome, stopsOf } from "./answer_parts.jsx";

const DELAY = 150;
const ON_THE_WAY = 500;
// Milliseconds of a held touch on a citation, and pixels by which it may move.
const HELD_AFTER = 400;
const SHAKE = 8;
const GAP = 8;
const NARROWEST = 200;
const WIDEST = 384;
const LOW = "7.5rem";
const NEXT_LINES = 60;
const CLAIM_LINES = 120;
const CITATION = ".answer-text [data-use]";
// Buttons of a card that lead to the panel.
const LEADING = "[data-step], [data-point]";
const ID = "citation-card";
// Private-use characters that stand for the keys.
const keys = () => ({ "\ue010": [t("Enter")], "\ue011": ["Alt", "↓"], "\ue012": ["Alt", "↑"] });

const pressed = (keys) =>
  element("span", { dir: "ltr" }, ...keys.flatMap((key, place) => [place ? " + " : "", element("kbd", {}, key)]));

function keysInWords() {
  const shown = keys();
  const [open, next, previous] = Object.keys(shown);
  const words = t("{open} opens it, {next} next, {previous} previous", { open, next, previous });
  // Lines break between phrases only.
  const phrases = words.split(/(?<=[,،、，])\s*/).flatMap((phrase) => {
    const pieces = phrase.split(/([\ue010-\ue012])/);
    return [element("span", {}, ...pieces.map((piece) => (shown[piece] ? pressed(shown[piece]) : piece))), " "];
  });
  return element("p", { className: "card-keys" }, ...phrases);
}

function cardsOf(cache, answer) {
  const { address, status } = answer.dataset;
  const streaming = answer.closest("[aria-busy=true]") !== null;
  const name = `${address} ${status}`;
  if (cache.has(name) && !streaming) return cache.get(name);
  const cards = fetch(`${address}/cards`, { credentials: "same-origin" }).then((response) =>
    response.ok ? response.json() : Promise.reject(response.status),
  );
  if (!streaming) {
    cache.set(name, cards);
    cards.catch(() => cache.delete(name));
  }
  return cards;
}

// Whether two rectangles overlap.
const meets = (one, other) =>
  one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;

// Hidden answers are not laid out, and this must not lay them out.
const isInView = (element) =>
  meets(element.getBoundingClientRect(), element.closest(".thread").getBoundingClientRect());

// The last lines before a citation, as its claim: from the citation before it, or the start of its block.
function claimOf(citation) {
  const cited = citation.closest(".citations") ?? citation;
  const block = cited.closest("p, li, td, th, dt, dd, h3, h4, h5, h6") ?? cited.parentElement;
  const before = [...block.querySelectorAll("[data-use]")].findLast(
    (one) => one.compareDocumentPosition(cited) === Node.DOCUMENT_POSITION_FOLLOWING,
  );
  const range = new Range();
  range.setStart(block, 0);
  if (before) range.setStartAfter(before);
  range.setEndBefore(cited);
  const from = cited.getBoundingClientRect().top - CLAIM_LINES;
  return [...range.getClientRects()].filter(({ bottom }) => bottom > from);
}

// The candidate positions of a card: over a claim from `top` on and under its citation, then to the right and left,
// then beside the next one.
function around(at, top, next, { width, height }) {
  const below = at.bottom + GAP;
  const above = top - GAP - height;
  const beside = [at.top, at.top + at.height / 2 - height / 2, at.bottom - height];
  const lefts = [at.left + at.width / 2 - width / 2, at.left, at.right - width];
  return [
    ...[above, below].flatMap((top) => lefts.map((left) => ({ left, top }))),
    ...[at, ...(next ? [next] : [])]
      .flatMap((one) => [one.right + GAP, one.left - GAP - width])
      .flatMap((left) => [...beside, below].map((top) => ({ left, top }))),
  ];
}

// The margins beside the text that are wide enough for a card.
function margins(answer) {
  const text = answer.getBoundingClientRect();
  const thread = answer.closest(".thread").getBoundingClientRect();
  const sides = [
    [text.right + GAP, thread.right - GAP],
    [thread.left + GAP, text.left - GAP],
  ];
  return sides.filter(([start, end]) => end - start >= NARROWEST);
}

// Places the card where it covers neither its claim nor a later citation, or the fewest: the claim and the next
// citation last of all, then those of the next lines. The card must not be in the pointer's way to them.
function place(card, citation) {
  const at = citation.getBoundingClientRect();
  const ceiling = citation.closest(".thread").getBoundingClientRect().top;
  const claim = claimOf(citation);
  const others = [...document.querySelectorAll(".answer-text")]
    .filter(isInView)
    .flatMap((answer) => [...answer.querySelectorAll("[data-use]")])
    .filter((other) => citation.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING)
    .map((other) => other.getBoundingClientRect())
    .map((there) => ({ at: there, cost: there.top < at.bottom + NEXT_LINES ? 20 : 2 }));
  const [next] = others;
  if (next) next.cost = 1000;
  others.push(...claim.map((line) => ({ at: line, cost: 2000 })));
  let best = { cost: Infinity };
  const consider = (width, maxHeight, positions) => {
    if (best.cost === 0) return;
    Object.assign(card.style, { width, maxHeight });
    const size = card.getBoundingClientRect();
    for (const { left, top } of positions(size)) {
      const kept = (from, length, least, most) => Math.max(least + GAP, Math.min(most - GAP - length, from));
      const [x, y] = [kept(left, size.width, 0, innerWidth), kept(top, size.height, ceiling, innerHeight)];
      const there = { left: x, top: y, right: x + size.width, bottom: y + size.height };
      const covered = others.filter((other) => meets(there, other.at)).reduce((sum, { cost }) => sum + cost, 0);
      const cost = meets(there, at) ? Infinity : covered;
      if (cost < best.cost) best = { cost, width, maxHeight, left: `${x}px`, top: `${y}px` };
    }
  };
  const nearby = (size) => around(at, Math.min(at.top, ...claim.map(({ top }) => top)), next?.at, size);
  consider("", "", nearby);
  for (const [start, end] of margins(citation.closest(".answer-text")))
    consider(`${Math.min(end - start, WIDEST)}px`, "", ({ width, height }) => [
      { left: start < at.left ? end - width : start, top: at.top + at.height / 2 - height / 2 },
    ]);
  // Keys reach a citation under the card, and do not scroll a low card.
  if (citation.matches(":hover") || best.cost === Infinity)
    for (const width of ["", `${NARROWEST}px`]) consider(width, LOW, nearby);
  const { width, maxHeight, left, top } = best;
  Object.assign(card.style, { width, maxHeight, left, top });
}

// Whether a pointer is between a citation and its card.
function isBetween(card, citation, { clientX, clientY }) {
  const [one, other] = [card.getBoundingClientRect(), citation.getBoundingClientRect()];
  return (
    clientX >= Math.min(one.left, other.left) &&
    clientX <= Math.max(one.right, other.right) &&
    clientY >= Math.min(one.top, other.top) &&
    clientY <= Math.max(one.bottom, other.bottom)
  );
}

// The composer, where Apple's keyboards move through text with these keys.
const isFreeBox = (box) => box.matches(".composer textarea") && !(box.value && isApple());

// The next or previous citation, or an unloaded part of the answer before it. The reader's position is a citation,
// another position in an answer, or its Sources.
function neighbour(step) {
  const focused = document.activeElement;
  const active = document.querySelector(".citation[data-active]");
  const inSources = focused?.closest(".side-panel") && active;
  const from = inSources ? active : focused;
  const article = from?.closest(".answer") ?? [...document.querySelectorAll("article.answer")].at(-1);
  const answer = article?.querySelector(".answer-text");
  if (!answer) return null;
  const citations = stopsOf(answer);
  const at = citations.indexOf(from);
  if (at >= 0) return citations[at + step] ?? null;
  const following = citations.findIndex((one) => from.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING);
  const isInside = article.contains(from) && from !== article;
  if (!isInside) return step > 0 ? citations[0] : citations.at(-1);
  return (step > 0 ? citations[following] : citations[(following < 0 ? citations.length : following) - 1]) ?? null;
}

/**
 * A held touch on a citation, which then does not open it: `show` gets the citation, and a touch outside it and the
 * `card` calls `hide`. Returns a function that removes the listeners.
 */
function watchFingers(card, show, hide) {
  let finger = null;
  let held = null;
  const forget = () => {
    clearTimeout(finger?.waiting);
    finger = null;
  };
  const down = (event) => {
    if (event.pointerType !== "touch") return;
    forget();
    held = null;
    const citation = event.target.closest?.(CITATION);
    if (!card.contains(event.target)) hide();
    if (!citation || !event.isPrimary) return;
    const hold = () => {
      held = citation;
      show(citation);
    };
    finger = { x: event.clientX, y: event.clientY, waiting: setTimeout(hold, HELD_AFTER) };
  };
  const move = (event) => {
    if (finger && Math.hypot(event.clientX - finger.x, event.clientY - finger.y) > SHAKE) forget();
  };
  const click = (event) => {
    if (!held?.contains(event.target)) return;
    held = null;
    event.preventDefault();
    event.stopImmediatePropagation();
  };
  // The browser's menu for held text or a link would cover the card.
  const menu = (event) => event.target.closest?.(CITATION) && event.pointerType !== "mouse" && event.preventDefault();
  const moves = { pointerdown: down, pointermove: move, pointerup: forget, pointercancel: forget };
  const leave = hear(document, { ...moves, click, contextmenu: menu }, true);
  return () => {
    forget();
    leave();
  };
}

const isAt = (one, other) => Math.hypot(one.x - other.x, one.y - other.y) < 1;

// A touch comes and goes, and does not hover.
const byPointer = (listener) => (event) => event.pointerType !== "touch" && listener(event);

/** @param {{ onStep: (answer: string, step: string) => void, onSource: (answer: string, point: number) => void }} props */
export function CitationCards({ onStep, onSource }) {
  const root = useRef(null);

  useEffect(() => {
    const card = root.current;
    const cache = new Map();
    let shown = null;
    // The citation whose card is shown, or about to be.
    let wanted = null;
    let wantedAt = null;
    let timer = 0;
    let forget = () => {};
    // A press on the card takes the focus from its citation, but the reader stays there.
    let isCardPressed = false;

    const hide = () => {
      clearTimeout(timer);
      forget();
      shown?.removeAttribute("aria-describedby");
      shown = wanted = null;
      card.hidden = true;
    };
    const show = async (citation) => {
      const answer = citation.closest(".answer-text");
      const { cards, uses } = await cardsOf(cache, answer);
      const html = cards[uses[Number(citation.dataset.use)]];
      if (!html || shown !== citation || !citation.isConnected) return;
      card.innerHTML = html;
      if (citation.matches(":focus-visible") && matchMedia("(hover: hover)").matches) card.append(keysInWords());
      card.hidden = false;
      citation.setAttribute("aria-describedby", ID);
      place(card, citation);
    };
    const later = (action, delay = DELAY) => {
      clearTimeout(timer);
      timer = setTimeout(action, delay);
    };
    const want = (citation) => {
      wanted = citation;
      wantedAt = citation.getBoundingClientRect();
    };
    const comeAtOnce = (citation) => {
      hide();
      want(citation);
      shown = citation;
      show(citation).catch(hide);
      // If the complete answer's card fails to load, the current one stays.
      forget = onEnd(citation.closest(".answer-text").dataset.address, () => show(citation).catch(() => {}));
    };
    const come = (citation) => {
      want(citation);
      later(() => comeAtOnce(citation));
    };
    const enter = (event) => {
      const citation = event.target.closest?.(CITATION);
      if (citation && citation !== shown) come(citation);
      else if (citation || card.contains(event.target)) clearTimeout(timer);
      // No pointer leaves a citation that a growing answer has replaced.
      else if (shown && !shown.isConnected) hide();
    };
    const isHere = ({ target }) => target.closest?.(CITATION) || card.contains(target);
    const leave = (event) => isHere(event) && later(hide);
    const move = (event) => {
      if (card.hidden || isHere(event)) return;
      if (!shown.matches(":focus") && isBetween(card, shown, event)) later(hide, ON_THE_WAY);
    };
    // If the reader is still at the citation, its card is shown after scrolling. A growing answer also scrolls, and
    // keeps the text in its place.
    const scroll = (event) => {
      const citation = wanted;
      if (!citation || card.contains(event.target) || isAt(citation.getBoundingClientRect(), wantedAt)) return;
      hide();
      if (citation.matches(":hover, :focus") && isInView(citation)) come(citation);
    };
    const go = async (step, opens) => {
      const citation = neighbour(step);
      if (!citation) return;
      if (isToCome(citation)) {
        await bring(citation);
        if (!citation.isConnected) await go(step, opens);
        return;
      }
      citation.scrollIntoView({ block: "nearest" });
      if (opens) citation.click();
      // After a click, browsers do not show a focus ring for a key with Alt.
      else citation.focus({ focusVisible: true });
    };
    const key = (event) => {
      if (composes(event)) return;
      isCardPressed = false;
      if (event.key === "Escape") {
        if (shown) event.preventDefault();
        hide();
      }
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (!step || !event.altKey || event.ctrlKey || event.metaKey) return;
      if (event.target.closest("textarea, input, select, [role=dialog]") && !isFreeBox(event.target)) return;
      if (!isOn("citations") || !neighbour(step)) return;
      event.preventDefault();
      // From within Sources, the next source opens too.
      go(step, event.target.closest(".side-panel") !== null);
    };

    const leavePage = hear(document, {
      pointerover: byPointer(enter),
      pointerout: byPointer(leave),
      pointermove: byPointer(move),
      // Closing a sheet by touch returns the focus to the citation, without its card.
      focusin: (event) => (event.target.matches(":focus-visible") || card.contains(event.target)) && enter(event),
      // At once: the next focus may be under the card.
      focusout: (event) => isCardPressed || card.contains(event.relatedTarget) || (isHere(event) && hide()),
      pointerdown: (event) => (isCardPressed = card.contains(event.target)),
      keydown: key,
      click: ({ target }) => (!card.contains(target) || target.closest(LEADING)) && hide(),
    });
    const leaveScroll = hear(document, { scroll }, { capture: true, passive: true });
    const leaveFingers = watchFingers(card, comeAtOnce, hide);
    return () => {
      hide();
      for (const end of [leavePage, leaveScroll, leaveFingers]) end();
    };
  }, []);

  const click = ({ target }) => {
    const leading = target.closest(LEADING);
    const citation = /** @type {HTMLElement | null} */ (document.querySelector(`[aria-describedby="${ID}"]`));
    const answer = /** @type {HTMLElement | null} */ (citation?.closest(".answer-text"));
    if (!leading || !answer) return;
    // The panel returns the focus to the citation when it closes.
    citation.focus();
    const { step, point } = leading.dataset;
    if (step) onStep(answer.dataset.address, step);
    else onSource(answer.dataset.address, Number(point));
  };
  return <div ref={root} id={ID} className="citation-card" role="tooltip" hidden onClick={click} />;
}
