// Reads an answer aloud while it grows: each sentence once it has ended, and the rest of a block once the block has.

import { t, tn } from "../languages/language.js";
import { announcements } from "./announcements.js";
import { announce, hush, MOST_CHARACTERS, recite } from "./announcer.jsx";
import { markLanguages } from "./languages.js";
import { recordedSign } from "./recorded_sign.js";
import { partsOf, sentenceEnds } from "./sentences.js";
import { inRuns, loadFormulas, piecesOf } from "./spoken.js";

const LOOK_AFTER = 1500;
// Characters by which an answer is known again: where it begins with others, another text has taken its place.
const BEGINNING = 20;
// Milliseconds that the text waits for the notice of a failure.
const NOTICE_WITHIN = 2000;

// The unread rest of a piece. Where the read text has changed since, reading goes on at the nearest end of a sentence.
function unread(piece, read) {
  if (piece.startsWith(read)) return piece.slice(read.length);
  const distance = (end) => Math.abs(end - read.length);
  const ends = [...sentenceEnds(piece), piece.length];
  return piece.slice(ends.reduce((best, end) => (distance(end) < distance(best) ? end : best)));
}

// The notice in the answer tells every other end than a good one.
function endWords(root, status) {
  const numbers = (citations) =>
    new Set(Array.from(root.querySelectorAll(citations), ({ dataset }) => dataset.citation)).size;
  const [cited, missing] = [numbers(".citation"), numbers(".citation-missing")];
  const words = [];
  if (status !== "finished") {
    if (cited > 0) words.push(tn("It cites one source.", "It cites {count} sources.", cited));
  } else if (cited === 0) words.push(t("Finished."));
  else words.push(tn("Finished, with one source.", "Finished, with {count} sources.", cited));
  if (missing === 1 && cited === 1) words.push(t("It was not found."));
  else if (missing > 0) words.push(tn("One of them was not found.", "{count} of them were not found.", missing));
  return words;
}

const NOTICE = "[role=alert]";

// Once the notice of how an answer ended is on the page: a listener hears of that before the rest of the text.
function noticeIn(answer) {
  return /** @type {Promise<void>} */ (
    new Promise((resolve) => {
      const look = () => {
        if (answer.querySelector(NOTICE)) done();
      };
      const observer = new MutationObserver(look);
      const waiting = setTimeout(() => done(), NOTICE_WITHIN);
      const done = () => {
        observer.disconnect();
        clearTimeout(waiting);
        resolve();
      };
      observer.observe(answer, { childList: true, subtree: true, attributeFilter: ["role"] });
      look();
    })
  );
}

// A notice behind an open sheet is heard by nobody: it is announced, and so is no alert any more once the sheet is closed.
function announceHidden(notice) {
  if (!notice?.closest("[inert]")) return;
  for (const { words } of piecesOf(notice)) announce(words);
  notice.setAttribute("role", "note");
}

const firstWords = (root) => (root.firstChild ? (piecesOf(root.firstChild)[0]?.words ?? "") : "");

const isOpenTable = (block) => {
  let last = block;
  while (last.lastElementChild && !last.matches(".table-scroll")) last = last.lastElementChild;
  return last.matches(".table-scroll");
};

const named = () => ({ first: t("Left:"), second: t("Right:") });

// Says the words of a piece between two places, after the name of the arm that says them.
function sayOf(piece, from, to, arm) {
  if (announcements.value !== "sentences") return;
  const name = named()[arm];
  const most = MOST_CHARACTERS - (name ? name.length + 1 : 0);
  for (const runs of inRuns(piece, partsOf(piece.words.slice(from, to), most), from))
    recite(name ? [{ words: `${name} ` }, ...runs] : runs, arm);
}

// Of several answers only the newest is read, in each arm of a comparison.
const current = new Map();

export class Recital {
  #root;
  #block = 0;
  #piece = 0;
  #read = "";
  #beginning = "";
  #timer = 0;
  #isOver = false;
  #isSigned = false;
  #arm = "";

  constructor(root) {
    this.#root = root;
    this.#arm = root.closest("[data-arm]")?.dataset.arm ?? "";
    current.get(this.#arm)?.leave();
    current.set(this.#arm, this);
    if (announcements.value !== "nothing") announce(this.#named(t("Answering.")));
  }

  // There is more of the answer.
  goOn() {
    this.#timer ||= setTimeout(() => {
      this.#timer = 0;
      this.#look(false);
    }, LOOK_AFTER);
  }

  // There is all of it.
  async end(status) {
    clearTimeout(this.#timer);
    if (status !== "finished") {
      const answer = this.#root.closest("article");
      await noticeIn(answer);
      announceHidden(answer.querySelector(NOTICE));
    }
    await this.#look(true);
    if (this.#isOver || announcements.value === "nothing") return;
    for (const words of endWords(this.#root, status)) recite([{ words: this.#named(words) }], this.#arm);
  }

  leave() {
    this.#isOver = true;
    clearTimeout(this.#timer);
    if (current.get(this.#arm) !== this) return;
    hush(this.#arm);
    current.delete(this.#arm);
  }

  #named(words) {
    const name = named()[this.#arm];
    return name ? `${name} ${words}` : words;
  }

  async #look(isWhole) {
    if (!firstWords(this.#root).startsWith(this.#beginning)) {
      hush(this.#arm);
      this.#beginning = "";
      this.#goTo(0);
    }
    await markLanguages(this.#root, { from: this.#block, isWhole });
    await loadFormulas(this.#root);
    this.#tellRecorded();
    const blocks = this.#root.children;
    while (!this.#isOver && this.#block < blocks.length) {
      const hasEnded = isWhole || this.#block < blocks.length - 1;
      this.#readOn(blocks[this.#block], hasEnded);
      if (!hasEnded) return;
      this.#goTo(this.#block + 1);
    }
  }

  #goTo(block) {
    this.#block = block;
    this.#piece = 0;
    this.#read = "";
  }

  #tellRecorded() {
    const sign = recordedSign(this.#root);
    if (!sign || this.#isSigned || this.#isOver || announcements.value === "nothing") return;
    this.#isSigned = true;
    for (const { words } of piecesOf(sign)) recite([{ words: this.#named(words) }], this.#arm);
  }

  #readOn(block, hasEnded) {
    // Text that is plain for now is read as the block that it becomes, a table once it is known how long it is.
    if (!hasEnded && (block.querySelector(":scope > .as-text") || isOpenTable(block))) return;
    const pieces = piecesOf(block);
    for (; this.#piece < pieces.length; this.#piece += 1) {
      const piece = pieces[this.#piece];
      const { words } = piece;
      const rest = unread(words, this.#read);
      const from = words.length - rest.length;
      if (!hasEnded && this.#piece === pieces.length - 1) {
        const end = from + (sentenceEnds(rest).at(-1) ?? 0);
        this.#say(piece, from, end);
        this.#read = words.slice(0, end);
        return;
      }
      this.#say(piece, from, words.length);
      this.#read = "";
    }
  }

  #say(piece, from, to) {
    // A citation may still come before the mark that ends a sentence.
    this.#beginning ||= piece.words.slice(0, to).slice(0, -1).slice(0, BEGINNING);
    sayOf(piece, from, to, this.#arm);
  }
}
