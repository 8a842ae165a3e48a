// Reads the whole text of an answer aloud with the browser's voices: a sentence at a time, each in the language of its block
// and marked where it stands. Code and tables are told in words, numbers of citations are left out.

import { locale, t } from "../languages/language.js";
import { composes } from "../shared/pressed.js";
import { mark, rangesInTurn } from "../sources/passage_marks.js";
import { bring } from "../thread/answer_parts.jsx";
import { hush } from "./announcer.jsx";
import { isSame, languageAround, markLanguages, pageLanguage } from "./languages.js";
import { recordedSign } from "./recorded_sign.js";
import { partsOf, sentencesOf } from "./sentences.js";
import { inRuns, loadFormulas, piecesOf } from "./spoken.js";
import { voices } from "./voices.js";

const MARK = "spoken";
const NOT_READ = "button, .code-header, .footnote-reference, [aria-hidden=true]";
// Of a longer utterance, voices of the network lose the end.
const MOST_CHARACTERS = 200;
// Some browsers drop what is spoken right after something was cancelled.
const AFTER_CANCEL = 60;
// Some browsers never tell that an utterance has ended: after this time, counted per character, it is looked.
const LOOK_AFTER = 4000;
const PER_CHARACTER = 120;
// What an utterance ends with where another was begun or all were stopped.
const CUT_OFF = new Set(["canceled", "interrupted"]);
const ALLOWED = "chat-ui-remote-voices";

const failed = () =>
  t(
    "The browser's voice did not work. Try again in a little while, or choose another voice in the settings of this device.",
  );

// The best voice for `lang`: one of this device before one that sends the text away, the person's region before others.
function voiceFor(lang) {
  const fits = voices().filter((voice) => isSame(voice.lang, lang));
  const isRegion = (voice) => navigator.languages.some((own) => own.replace("_", "-") === voice.lang.replace("_", "-"));
  const rank = (voice) => 4 * Number(voice.localService) + 2 * Number(isRegion(voice)) + Number(voice.default);
  return fits.sort((one, other) => rank(other) - rank(one))[0] ?? null;
}

const languageName = (lang) => new Intl.DisplayNames([locale()], { type: "language" }).of(lang);

async function bringAll(root) {
  for (let parts = [1]; parts.length > 0; ) {
    parts = [...root.querySelectorAll(".part-to-come")];
    await Promise.all(parts.map(bring));
  }
}

const wordsOf = (runs) => runs.map(({ words }) => words).join("");

// A sentence of two languages is read in one where there is no voice for the other.
const readable = (runs, lang) =>
  runs.length === 1 || runs.every((run) => voiceFor(run.lang)) ? runs : [{ words: wordsOf(runs), lang }];

// The utterances of a block: their words, language, voice, and where their sentence stands.
function utterancesOf(block) {
  const around = languageAround(block);
  const sentences = piecesOf(block, { cites: false }).flatMap((piece) =>
    inRuns(
      piece,
      sentencesOf(piece.words).flatMap((sentence) => partsOf(sentence, MOST_CHARACTERS)),
    ),
  );
  const ranges = rangesInTurn(block, sentences.map(wordsOf), NOT_READ);
  return sentences.flatMap((runs, at) =>
    readable(runs, around).map(({ words, lang }) => ({
      words: words.trim(),
      lang,
      voice: voiceFor(lang),
      range: ranges[at],
    })),
  );
}

// What no voice can read is told once, by a voice of the page's language.
function replaceUnspeakable(utterances) {
  const spare = voiceFor(pageLanguage()) ?? voices()[0];
  return utterances
    .filter(({ voice, lang }, at) => voice || utterances[at - 1]?.voice !== null || utterances[at - 1].lang !== lang)
    .map((one) =>
      one.voice
        ? one
        : {
            ...one,
            words: t("Text in {language}, for which this browser has no voice.", { language: languageName(one.lang) }),
            lang: pageLanguage(),
            voice: spare,
          },
    );
}

const isIn = (view, place) => place.bottom > view.top && place.top < view.bottom;

export class Listening {
  #waiting = [];
  #isOver = false;
  #timer = 0;
  #spoken = null;
  #range = null;

  /**
   * Read the answer under `root` aloud; `onEnd` once it is over, `onProblem` where that is too early, `mayAsk` asks the
   * person, before a voice that is not local.
   */
  constructor(root, { onEnd, onProblem, mayAsk }) {
    this.root = root;
    this.onEnd = onEnd;
    this.onProblem = onProblem;
    this.mayAsk = mayAsk;
    document.addEventListener("keydown", this.#key);
    window.addEventListener("pagehide", this.stop);
    // Two voices at a time are understood by nobody.
    hush();
    this.#begin();
  }

  stop = () => {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    document.removeEventListener("keydown", this.#key);
    window.removeEventListener("pagehide", this.stop);
    speechSynthesis.cancel();
    mark(MARK, []);
    this.onEnd();
  };

  #key = (event) => {
    if (event.key === "Escape" && !event.defaultPrevented && !composes(event)) this.stop();
  };

  async #begin() {
    await bringAll(this.root);
    await markLanguages(this.root);
    await loadFormulas(this.root);
    this.#waiting = replaceUnspeakable(
      [recordedSign(this.root), ...this.root.children].filter(Boolean).flatMap(utterancesOf),
    );
    const remote = this.#waiting.find(({ voice }) => voice && !voice.localService);
    if (remote && !(await this.#isAllowed(remote.voice))) this.stop();
    if (this.#isOver) return;
    const wasSpeaking = speechSynthesis.speaking || speechSynthesis.pending;
    if (wasSpeaking) speechSynthesis.cancel();
    this.#timer = setTimeout(() => this.#next(), wasSpeaking ? AFTER_CANCEL : 0);
  }

  async #isAllowed(voice) {
    if (localStorage.getItem(ALLOWED) === "yes") return true;
    const isAllowed = await this.mayAsk({
      title: t("Read this answer aloud?"),
      action: t("Read aloud"),
      words: t(
        "This browser has no voice of its own for this answer. Voices of the network, such as “{voice}”, send the text that they read to the companies that offer them. You are asked this once for all of them.",
        { voice: voice.name },
      ),
    });
    if (isAllowed) localStorage.setItem(ALLOWED, "yes");
    return isAllowed;
  }

  #next() {
    clearTimeout(this.#timer);
    if (this.#isOver) return;
    const one = this.#waiting.shift();
    if (!one || !this.root.isConnected) {
      this.stop();
      return;
    }
    // An utterance that nothing refers to may be collected before its end is told.
    const utterance = new SpeechSynthesisUtterance(one.words);
    this.#spoken = utterance;
    utterance.lang = one.voice?.lang ?? one.lang;
    if (one.voice) utterance.voice = one.voice;
    const goOn = () => {
      if (this.#spoken === utterance) this.#next();
    };
    utterance.onend = goOn;
    utterance.onerror = ({ error }) => {
      if (this.#spoken !== utterance || this.#isOver) return;
      if (CUT_OFF.has(error)) goOn();
      else {
        this.stop();
        this.onProblem(failed());
      }
    };
    this.#show(one.range);
    speechSynthesis.speak(utterance);
    const look = () => {
      if (speechSynthesis.speaking || speechSynthesis.pending) this.#timer = setTimeout(look, LOOK_AFTER);
      else goOn();
    };
    this.#timer = setTimeout(look, LOOK_AFTER + PER_CHARACTER * one.words.length);
  }

  // The page follows a reader who has the sentence before on view.
  #show(range) {
    const thread = this.root.closest(".thread");
    const view = thread.getBoundingClientRect();
    const isFollowed = !this.#range || isIn(view, this.#range.getBoundingClientRect());
    mark(MARK, range ? [range] : []);
    if (!range) return;
    this.#range = range;
    const place = range.getBoundingClientRect();
    if (!isFollowed || (place.top >= view.top && place.bottom <= view.bottom)) return;
    const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
    thread.scrollBy({ top: place.top - view.top - view.height / 4, behavior: isStill ? "instant" : "smooth" });
  }
}
