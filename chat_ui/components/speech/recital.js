// Reads an answer aloud while it grows: each sentence once it has ended, and the rest of a block once the block has.

import { announce, hush, recite } from "./announcer.jsx";
import { languageAround, markLanguages } from "./languages.js";
import { sentenceEnds } from "./sentences.js";
import { counted, piecesOf } from "./spoken.js";

const LOOK_AFTER = 1500;
// The notice in the answer announces every other end; it does not count citations.
const ENDS = {
  finished: "Finished",
  stopped: "Stopped",
  failed: "Failed",
  cut_off: "Cut off",
  interrupted: "Interrupted",
};

// The unread rest of a piece. Where the read text has changed since, reading goes on at the nearest end of a sentence.
function unread(piece, read) {
  if (piece.startsWith(read)) return piece.slice(read.length);
  const distance = (end) => Math.abs(end - read.length);
  const ends = [...sentenceEnds(piece), piece.length];
  return piece.slice(ends.reduce((best, end) => (distance(end) < distance(best) ? end : best)));
}

function endWords(root, status) {
  const numbers = (citations) =>
    new Set(Array.from(root.querySelectorAll(citations), ({ dataset }) => dataset.citation)).size;
  const [cited, missing] = [numbers(".citation"), numbers(".citation-missing")];
  const words = [ENDS[status]];
  if (cited > 0) words.push(counted(cited, "citation"));
  if (missing > 0) words.push(missing === 1 ? "one matches no source" : `${missing} match no source`);
  return status === "finished" || cited > 0 ? `${words.join(", ")}.` : "";
}

// Of several answers only the newest is read.
let current = null;

export class Recital {
  #root;
  #block = 0;
  #piece = 0;
  #read = "";
  #timer = 0;
  #isOver = false;

  constructor(root) {
    this.#root = root;
    current?.leave();
    current = this;
    announce("Answering.");
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
    await this.#look(true);
    if (!this.#isOver) recite(endWords(this.#root, status));
  }

  leave() {
    this.#isOver = true;
    clearTimeout(this.#timer);
    if (current !== this) return;
    hush();
    current = null;
  }

  async #look(isWhole) {
    await markLanguages(this.#root, { from: this.#block, isWhole });
    const blocks = this.#root.children;
    while (!this.#isOver && this.#block < blocks.length) {
      const hasEnded = isWhole || this.#block < blocks.length - 1;
      this.#readOn(blocks[this.#block], hasEnded);
      if (!hasEnded) return;
      this.#block += 1;
      this.#piece = 0;
      this.#read = "";
    }
  }

  #readOn(block, hasEnded) {
    // Text that is plain for now is read as the block that it becomes.
    if (!hasEnded && block.querySelector(":scope > .as-text")) return;
    const lang = languageAround(block);
    const pieces = piecesOf(block);
    for (; this.#piece < pieces.length; this.#piece += 1) {
      const piece = pieces[this.#piece];
      const rest = unread(piece, this.#read);
      if (!hasEnded && this.#piece === pieces.length - 1) {
        const end = sentenceEnds(rest).at(-1) ?? 0;
        recite(rest.slice(0, end), lang);
        this.#read = piece.slice(0, piece.length - rest.length + end);
        return;
      }
      recite(rest, lang);
      this.#read = "";
    }
  }
}
