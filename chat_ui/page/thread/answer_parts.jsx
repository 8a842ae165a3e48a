// A long answer loads in parts near the reader, starting at its end. The thread is laid out from its end too, so parts
// above the reader do not move it.

import { useEffect, useRef, useState } from "react";
import { t } from "../languages/language.js";
import { element } from "../shared/element.js";
import { fetched, untilLoaded } from "../shared/loading.js";
import { arrange, setLanguage } from "./arranging.js";
import { markClaims } from "./claim_marks.js";

const NEAR = "1500px 0px";
// Characters of an answer that always loads at once, so that the browser's search finds its text.
const SHORT = 10_000;
// Metrics of plain text in pixels: the longest line, the margins on a narrow screen, a letter, and a line.
const MEASURE = 576;
const MARGINS = 24;
const LETTER = 7.75;
const LINE = 28;
const TO_COME = "part-to-come";

const observers = new WeakMap();
const waiting = new Map();
const coming = new Map();

export const isLong = (characters) => characters > SHORT;
export const isToCome = (element) => element.classList.contains(TO_COME);

/** The citations of an answer in text order, and its unloaded parts between them. */
export const stopsOf = (answer) => [...answer.querySelectorAll(`[data-use], .${TO_COME}`)];

function forget(element, thread) {
  waiting.delete(element);
  observers.get(thread).unobserve(element);
}

/** Start the deferred loading at `element`; resolves after success or the first failure. */
export async function bring(element) {
  const wanted = waiting.get(element);
  if (wanted) {
    forget(element, wanted.thread);
    coming.set(element, wanted.begin());
  }
  await coming.get(element);
  coming.delete(element);
}

const missingIn = (root) => [...waiting.keys(), ...coming.keys()].filter((element) => root.contains(element));

export const isAllThere = () => missingIn(document).length === 0;

/** Start all deferred loading under `root`, to search, print or read the whole page. */
export async function bringAll(root = /** @type {Node} */ (document)) {
  while (missingIn(root).length > 0) await Promise.all(missingIn(root).map(bring));
}

/** Load the parts of the answer at `address` from its end up to citation number `use`. */
export async function bringCitation(address, use) {
  const answer = document.querySelector(`.answer-text[data-address="${CSS.escape(address)}"]`);
  for (const part of [...(answer?.querySelectorAll(`.${TO_COME}`) ?? [])].reverse()) {
    if (answer.querySelector(`[data-use="${use}"]`)) return;
    await bring(part);
  }
}

/** Call `begin` once the reader is near `element`; `begin` returns a promise. Returns a function that cancels this. */
export function whenNear(element, begin) {
  const thread = element.closest(".thread");
  if (!observers.has(thread)) {
    const come = (entries) => {
      for (const { isIntersecting, target } of entries) if (isIntersecting) bring(target);
    };
    observers.set(thread, new IntersectionObserver(come, { root: thread, rootMargin: NEAR }));
  }
  waiting.set(element, { begin, thread });
  observers.get(thread).observe(element);
  return () => forget(element, thread);
}

/** Retry until success or until `signal` aborts; resolves after the first attempt. */
export function persist(attempt, signal) {
  return /** @type {Promise<void>} */ (
    new Promise((resolve) => {
      const leave = untilLoaded(async (wanted) => resolve(await attempt(wanted)), resolve);
      signal.addEventListener("abort", () => {
        leave();
        resolve();
      });
    })
  );
}

/** The response with an answer's document, or with a part of it, counted from 0 at its end. */
export const fetchDocument = (address, signal, part) =>
  fetched(part === undefined ? address : `${address}?part=${part}`, signal);

function makePlace(root, address, number, signal) {
  const words = t("Show this part of the answer");
  const button = element("button", { type: "button", className: "link-button", onclick: () => bring(place) }, words);
  const place = element("div", { className: TO_COME }, button);
  const show = async (wanted) => {
    const template = document.createElement("template");
    template.innerHTML = await (await fetchDocument(address, wanted, number)).text();
    wanted.throwIfAborted();
    const first = /** @type {HTMLElement} */ (template.content.firstElementChild);
    const hasFocus = place.contains(document.activeElement);
    arrange(root, template.content);
    place.replaceWith(template.content);
    markClaims(address);
    if (!hasFocus) return;
    first.tabIndex = -1;
    first.focus({ preventScroll: true });
  };
  root.prepend(place);
  signal.addEventListener(
    "abort",
    whenNear(place, () => persist(show, signal)),
  );
  return place;
}

/** Reserve about as much space as an answer of `characters` takes. */
export function keepRoom(root, characters) {
  const letters = Math.min(MEASURE, innerWidth - MARGINS) / LETTER;
  root.style.minHeight = `${LINE * Math.ceil(characters / letters)}px`;
}

/** Show an answer's document, or its end, with placeholders of its other parts before it. */
export async function showDocument(root, address, response, signal) {
  const html = await response.text();
  signal.throwIfAborted();
  root.innerHTML = html;
  root.style.minHeight = "";
  setLanguage(root, response.headers.get("content-language"));
  arrange(root);
  const count = Number(response.headers.get("x-parts"));
  const height = count > 1 ? root.offsetHeight : 0;
  for (let number = 1; number < count; number++)
    makePlace(root, address, number, signal).style.minHeight = `${height}px`;
}

/** The content beside an answer; beside one of many `characters` it loads once the reader is near. */
export function BesideAnswer({ characters, children }) {
  const place = useRef(null);
  const [isNear, setNear] = useState(!isLong(characters));
  useEffect(() => (isNear ? undefined : whenNear(place.current, async () => setNear(true))), []);
  return isNear ? children : <div ref={place} />;
}
