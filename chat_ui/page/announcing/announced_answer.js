// Announces a streaming answer: each finished sentence, then the number of sources.

import { t, tn } from "../languages/language.js";
import { StoredChoice } from "../preferences/stored_choice.js";
import { recordedSign } from "../thread/copied_sign.js";
import { announce, announceText, hush, MOST_CHARACTERS } from "./announcer.jsx";
import { languageOf, partsOf, sentencesOf } from "./spoken.js";

const LOOK_AFTER = 1500;
const ENDED = /[\p{Sentence_Terminal}…][\p{Pe}\p{Pf}"']*$/u;

// The reader's choice: sentences, only the start and the end, or nothing. Errors and notices of the page are always
// announced.
export const announcements = new StoredChoice("chat-ui-announcements", ["sentences", "ends", "nothing"]);

announcements.listen(() => {
  if (announcements.value === "sentences") return;
  for (const column of ["", "first", "second"]) hush(column);
});

// The answer's notice reports all other ends.
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

const firstSentence = (root) => (root.firstElementChild ? (sentencesOf(root.firstElementChild)[0] ?? "").trim() : "");

// In each column of a comparison, only the newest answer is announced.
const current = new Map();

// Conversations in which this tab announced that answers are made by AI.
const told = new Set();

export class AnnouncedAnswer {
  #root;
  #column;
  #name;
  #block = 0;
  #read = 0;
  #first = "";
  #timer = 0;
  #isOver = false;
  #isSigned = false;

  constructor(root, address = "") {
    this.#root = root;
    this.#column = root.closest("[data-column]")?.dataset.column ?? "";
    this.#name = { first: t("Left:"), second: t("Right:") }[this.#column] ?? "";
    current.get(this.#column)?.leave();
    current.set(this.#column, this);
    if (announcements.value === "nothing") return;
    const words = [t("Answering."), this.#notice(address)];
    announce(this.#named(words.join(" ").trim()));
  }

  #notice(address) {
    const conversation = address.split(".")[0];
    if (this.#column === "second" || told.has(conversation)) return "";
    told.add(conversation);
    return document.querySelector(".ai-notice > span")?.textContent ?? "";
  }

  #named(words) {
    return this.#name ? `${this.#name} ${words}` : words;
  }

  // The answer has more text.
  goOn() {
    this.#timer ||= setTimeout(() => {
      this.#timer = 0;
      this.#look(false);
    }, LOOK_AFTER);
  }

  // The answer is complete. An alert about its end precedes the rest of the text.
  async end(status) {
    clearTimeout(this.#timer);
    if (status !== "finished") await new Promise((resolve) => setTimeout(resolve, LOOK_AFTER));
    this.#look(true);
    for (const words of endWords(this.#root, status)) this.#tell(words);
    // The last picture may be shown later than the end.
    setTimeout(() => {
      const count = this.#root.parentElement?.querySelectorAll(".picture :is([data-whole], .remote-image)").length;
      if (count) this.#tell(tn("It has one image.", "It has {count} images.", count));
    }, LOOK_AFTER);
  }

  leave() {
    this.#isOver = true;
    clearTimeout(this.#timer);
    if (current.get(this.#column) !== this) return;
    hush(this.#column);
    current.delete(this.#column);
  }

  #tell(words) {
    if (this.#isOver || announcements.value === "nothing") return;
    announceText(this.#named(words), { column: this.#column });
  }

  #look(isComplete) {
    if (this.#isOver) return;
    this.#tellRecorded();
    // A different beginning means that the text was replaced.
    if (!firstSentence(this.#root).startsWith(this.#first)) {
      hush(this.#column);
      this.#first = "";
      this.#block = this.#read = 0;
    }
    const blocks = this.#root.children;
    for (; this.#block < blocks.length; this.#block++) {
      const block = blocks[this.#block];
      const hasEnded = isComplete || this.#block < blocks.length - 1;
      // Provisional plain text is read as its later block.
      if (!hasEnded && block.querySelector(":scope > .as-text")) return;
      const sentences = sentencesOf(block);
      if (!hasEnded && !ENDED.test(sentences.at(-1) ?? "")) sentences.pop();
      this.#say(block, sentences);
      if (!hasEnded) return;
      this.#read = 0;
    }
  }

  // Announces sentences of a block from the first one on, without the characters already announced.
  #say(block, sentences) {
    if (this.#block === 0) this.#first ||= (sentences[0] ?? "").trim();
    const fresh = [];
    let at = 0;
    for (const sentence of sentences) {
      const rest = sentence.slice(Math.max(this.#read - at, 0));
      if (rest.trim()) fresh.push(rest);
      at += sentence.length;
    }
    this.#read = Math.max(this.#read, at);
    if (announcements.value !== "sentences") return;
    for (const part of partsOf(fresh, MOST_CHARACTERS - this.#name.length))
      announceText(this.#named(part), { lang: languageOf(block), column: this.#column });
  }

  #tellRecorded() {
    const sign = recordedSign(this.#root);
    if (!sign || this.#isSigned) return;
    this.#isSigned = true;
    this.#tell(sign.textContent);
  }
}
