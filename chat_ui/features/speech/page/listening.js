// Reads the whole text of an answer aloud: by a remote voice sentence by sentence, or with the browser's voices, a few
// sentences at a time.

import { locale, t } from "../../../page/languages/language.js";
import { composes } from "../../../page/shared/hearing.js";
import { wordsOf } from "../../../page/shared/loading.js";
import { bringAll } from "../../../page/thread/answer_parts.jsx";
import { recordedSign } from "../../../page/thread/copied_sign.js";
import { hush } from "../../../page/announcing/announcer.jsx";
import { isSame, languageOf, partsOf, sentencesOf } from "../../../page/announcing/spoken.js";

// Voices of the network cut the end of a longer utterance.
const MOST_CHARACTERS = 200;
const MOST_OF_REMOTE = 1000;
// Some browsers drop an utterance right after a cancellation.
const AFTER_CANCEL = 60;
// Some browsers never report the end of an utterance: it is checked after this time, per character.
const LOOK_AFTER = 4000;
const PER_CHARACTER = 120;
// The errors of an utterance that another one or a stop has interrupted.
const CUT_OFF = new Set(["canceled", "interrupted"]);
const ALLOWED = "chat-ui-remote-voices";

// The best voice for `lang`: local voices before those of the network, the person's region before others.
function voiceFor(lang) {
  const voices = globalThis.speechSynthesis?.getVoices() ?? [];
  const fits = voices.filter((voice) => isSame(voice.lang, lang));
  const isRegion = (voice) => navigator.languages.some((own) => own.replace("_", "-") === voice.lang.replace("_", "-"));
  const rank = (voice) => 4 * Number(voice.localService) + 2 * Number(isRegion(voice)) + Number(voice.default);
  return fits.sort((one, other) => rank(other) - rank(one))[0] ?? null;
}

const languageName = (lang) => new Intl.DisplayNames([locale()], { type: "language" }).of(lang);

function utterancesOf(block, isRemote) {
  const lang = languageOf(block);
  const sentences = sentencesOf(block);
  const parts = isRemote
    ? sentences.flatMap((one) => partsOf([one], MOST_OF_REMOTE))
    : partsOf(sentences, MOST_CHARACTERS);
  return parts.map((words) => ({ words, lang }));
}

// The same with a voice of the browser, in parts that are short enough for it.
function ofBrowser({ words, lang }) {
  const voice = voiceFor(lang);
  return partsOf([words], MOST_CHARACTERS).map((part) => ({ words: part, lang, voice }));
}

export class Listening {
  #waiting = [];
  #isOver = false;
  #timer = 0;
  #spoken = null;

  /**
   * Read the answer under `root` aloud, by the remote `voice` if given, until it fails; `onEnd` is called at the end,
   * `onProblem` on failure. `mayAsk` asks the person before using a voice of the browser that is not local.
   */
  constructor(root, { voice, onEnd, onProblem, mayAsk }) {
    this.root = root;
    this.voice = voice;
    this.onEnd = onEnd;
    this.onProblem = onProblem;
    this.mayAsk = mayAsk;
    document.addEventListener("keydown", this.#key);
    window.addEventListener("pagehide", this.stop);
    // Two voices at a time are unintelligible.
    hush();
    this.#begin();
  }

  stop = () => {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    document.removeEventListener("keydown", this.#key);
    window.removeEventListener("pagehide", this.stop);
    globalThis.speechSynthesis?.cancel();
    this.onEnd();
  };

  #key = (event) => {
    if (event.key === "Escape" && !event.defaultPrevented && !composes(event)) this.stop();
  };

  #fail(words) {
    this.stop();
    this.onProblem(words);
  }

  async #begin() {
    await bringAll(this.root);
    if (this.#isOver) return;
    const blocks = [recordedSign(this.root), ...this.root.children].filter(Boolean);
    this.#waiting = blocks.flatMap((block) => utterancesOf(block, Boolean(this.voice)));
    if (this.voice) this.#next();
    else this.#useBrowser();
  }

  // Reads the rest with the browser's voices; `failure` is about the remote one.
  async #useBrowser(failure = undefined) {
    const told = (words) => [failure, words].filter(Boolean).join(" ");
    this.#waiting = this.#waiting.flatMap(ofBrowser);
    const lang = languageOf(this.root);
    const remote = this.#waiting.find(({ voice }) => voice && !voice.localService);
    if (!voiceFor(lang))
      this.#fail(told(t("Text in {language}; this browser has no voice for it.", { language: languageName(lang) })));
    else if (remote && !(await this.#isAllowed(remote.voice, told))) this.stop();
    if (this.#isOver) return;
    if (failure !== undefined) this.onProblem(told(t("The browser's voice continues.")));
    const wasSpeaking = speechSynthesis.speaking || speechSynthesis.pending;
    if (wasSpeaking) speechSynthesis.cancel();
    this.#timer = setTimeout(() => this.#next(), wasSpeaking ? AFTER_CANCEL : 0);
  }

  #isAllowed(voice, told) {
    return this.mayAsk(ALLOWED, {
      title: t("Read this answer aloud?"),
      action: t("Read aloud"),
      words: told(
        t(
          "This browser has no voice on the device for this answer. Network voices, such as “{voice}”, send the text to their providers. You are asked only once.",
          { voice: voice.name },
        ),
      ),
    });
  }

  #next() {
    clearTimeout(this.#timer);
    if (this.#isOver) return;
    const one = this.#waiting.shift();
    if (!one || !this.root.isConnected) this.stop();
    else if (this.voice) this.#hear(one);
    else this.#speak(one);
  }

  async #hear(one) {
    try {
      await this.voice.speak(one.words, this.#waiting[0]?.words);
    } catch (why) {
      if (this.#isOver) return;
      this.voice = null;
      this.#waiting.unshift(one);
      // The voice is not of this answer's deployment.
      this.#useBrowser(why === 404 ? undefined : (wordsOf(why) ?? ""));
      return;
    }
    this.#next();
  }

  #speak(one) {
    // A browser may collect an unreferenced utterance before its end event.
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
      else
        this.#fail(
          t(
            "The browser's voice failed. Try again in a moment, or choose another voice in the settings of this device.",
          ),
        );
    };
    speechSynthesis.speak(utterance);
    const look = () => {
      if (speechSynthesis.speaking || speechSynthesis.pending) this.#timer = setTimeout(look, LOOK_AFTER);
      else goOn();
    };
    this.#timer = setTimeout(look, LOOK_AFTER + PER_CHARACTER * one.words.length);
  }
}
