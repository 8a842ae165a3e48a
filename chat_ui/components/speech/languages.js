// The language of foreign text, where it is certain and not the page's own: a screen reader needs it. Text that is plainly
// English costs nothing; for other text the detector loads once, as a chunk of its own.

import { useEffect, useState } from "react";
import { needed } from "../shared/loading.js";

const ENGLISH =
  /^(?:the|and|what|how|which|with|that|this|there|these|you|your|about|does|where|why|who|when|could|should|would|have|from)$/i;
const ENOUGH_ENGLISH = 0.1;
const WORD = /[\p{L}\p{M}]+/gu;
// Words with a capital letter each are names: of products, of people, of places.
const UNCASED_OR_SMALL = /^[^\p{Lu}\p{Lt}]\p{M}*[\p{L}\p{M}]|\p{Lo}/u;
const NAME_OR_CODE = /\S*[=_@\\{}<>/]\S*/g;
const LEAST_CHARACTERS = 12;
const MOST_CHARACTERS = 2000;
// A Chinese or Japanese character says as much as several letters.
const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;
const LETTERS_FOR_DENSE = 2;
// No other language is written with these; names in Latin letters stand among them.
const JAPANESE = /[\p{Script=Hiragana}\p{Script=Katakana}]/gu;
const ENOUGH_JAPANESE = 0.1;
// The lead that the best language needs over the next one.
const MARGIN = 0.02;
const RIGHT_TO_LEFT = new Set(["ar", "fa", "he", "ur"]);
const UNCERTAIN = "";
const NO_PROSE = "code, pre, kbd, samp, math, button, .code-header";

export const pageLanguage = () => document.documentElement.lang;

// The detector, the voices of browsers and the page name some languages differently.
const SAME = { nb: "no", nn: "no", fil: "tl", cmn: "zh", iw: "he" };

function base(lang) {
  const name = lang.toLowerCase().split(/[-_]/)[0];
  return SAME[name] ?? name;
}

/** Whether two tags are of one language, in whatever script and region. */
export const isSame = (one, other) => base(one) === base(other);

let detector = null;

async function loadDetector() {
  detector ??= needed(() => import("eld/extrasmall"));
  const loaded = await detector;
  if (!loaded) detector = null;
  return loaded?.eld;
}

async function languageOf(text) {
  const beginning = text.slice(0, MOST_CHARACTERS).replace(NAME_OR_CODE, " ");
  const words = beginning.match(WORD) ?? [];
  const letters = words.join("").length;
  const length = letters + LETTERS_FOR_DENSE * (beginning.match(DENSE)?.length ?? 0);
  if (length < LEAST_CHARACTERS || !words.some((word) => UNCASED_OR_SMALL.test(word))) return UNCERTAIN;
  if (words.filter((word) => ENGLISH.test(word)).length >= ENOUGH_ENGLISH * words.length) return "en";
  if ((beginning.match(JAPANESE)?.length ?? 0) >= ENOUGH_JAPANESE * letters) return "ja";
  const eld = await loadDetector();
  if (!eld) return UNCERTAIN;
  const found = eld.detect(words.join(" "));
  const [best, next = 0] = Object.values(found.getScores()).sort((one, other) => other - one);
  return found.isReliable() && best - next >= MARGIN ? found.language : UNCERTAIN;
}

// Sets the language of an element where it differs from the one `around` it, and its direction where that is right to left.
function mark(element, language, around) {
  if (language === UNCERTAIN || isSame(language, around)) element.removeAttribute("lang");
  else element.lang = language;
  if (RIGHT_TO_LEFT.has(language)) element.dir = "rtl";
}

const isCode = (block) => block.firstElementChild?.classList.contains("code-block") ?? false;

function proseOf(element) {
  const isProse = (node) =>
    node.nodeType === Node.ELEMENT_NODE && node.matches(NO_PROSE) ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT;
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT, isProse);
  let text = "";
  while (text.length < MOST_CHARACTERS && walker.nextNode()) text += `${walker.currentNode.nodeValue ?? ""} `;
  return text;
}

export const languageAround = (element) => element.closest("[lang]").lang;

// Sets the language of the blocks of an answer, from one on; uncertain blocks have the language of the whole. Code and the
// page's controls keep theirs; controls once the answer `isWhole`, since a growing block is compared with its update.
export async function markLanguages(root, { from = 0, isWhole = true } = {}) {
  const blocks = [...root.children];
  mark(root, await languageOf(proseOf(root)), pageLanguage());
  const around = languageAround(root);
  for (const block of blocks.slice(from))
    mark(block, isCode(block) ? pageLanguage() : await languageOf(proseOf(block)), around);
  if (!isWhole || !(root.lang || root.querySelector(":scope > [lang]"))) return;
  for (const control of root.querySelectorAll("button, input, .code-header"))
    if (languageAround(control) !== pageLanguage()) control.lang = pageLanguage();
}

// Sets the language of the passages and documents in a part of the page.
export async function markPassages(part) {
  for (const passage of part.querySelectorAll(".passage, .document-plain, .answer-text"))
    mark(passage, await languageOf(proseOf(passage)), pageLanguage());
}

// The language of `text`, undefined where it is not certain or the page's own.
export function useLanguage(text) {
  const [language, setLanguage] = useState(UNCERTAIN);
  useEffect(() => {
    let isCurrent = true;
    languageOf(text).then((found) => isCurrent && setLanguage(found));
    return () => {
      isCurrent = false;
    };
  }, [text]);
  return language === UNCERTAIN || isSame(language, pageLanguage()) ? undefined : language;
}
