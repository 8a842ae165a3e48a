// Dictates into a text box by the browser's speech recognition. Provisional text is outside of the box; final text is
// inserted at the caret, so that text that is typed or selected meanwhile is kept.

import { t } from "../../../page/languages/language.js";
import { composes } from "../../../page/shared/hearing.js";
import { announce } from "../../../page/announcing/announcer.jsx";
import { isSame } from "../../../page/announcing/spoken.js";

const ALLOWED = "chat-ui-dictation";

const recognizer = () => globalThis.SpeechRecognition ?? globalThis.webkitSpeechRecognition;

const PROBLEMS = {
  "not-allowed": () => t("The browser blocked the microphone. Allow it for this page in the browser's settings."),
  "service-not-allowed": () => t("The browser blocked dictation. Type your question."),
  "audio-capture": () => t("No microphone was found. Connect one, then try again."),
  network: () => t("The browser cannot reach its dictation service. Try again in a moment, or type your question."),
  "no-speech": () => t("No speech was heard. Check the microphone, then try again."),
  "language-not-supported": () => t("The browser does not support dictation in your language. Type your question."),
};
const unknown = () => t("Dictation failed. Try again, or type your question.");

// The page's language in the person's region.
function language() {
  const page = document.documentElement.lang;
  return navigator.languages.find((own) => isSame(own, page)) ?? page;
}

// Whether the browser can recognise speech on this device, without sending it.
async function isOnDevice() {
  const available = recognizer().available?.({ langs: [language()], processLocally: true });
  return (await Promise.resolve(available).catch(() => "")) === "available";
}

const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

const isApart = (before, after) =>
  !before ||
  !after ||
  /\s$/.test(before) ||
  /^[\s.,;:!?)]/.test(after) ||
  (DENSE.test(before.at(-1)) && DENSE.test(after[0]));

// Inserts text at the caret of the box, separated from the text around it; undo works as after typing.
function insert(box, words) {
  const text = words.trim();
  if (!text) return;
  const caret = box.selectionEnd;
  const [before, after] = [box.value.slice(0, caret), box.value.slice(caret)];
  const inserted = `${isApart(before, text) ? "" : " "}${text}${isApart(text, after) ? "" : " "}`;
  box.setSelectionRange(caret, caret);
  if (document.activeElement === box && document.execCommand("insertText", false, inserted)) return;
  box.setRangeText(inserted, caret, caret, "end");
  box.dispatchEvent(new Event("input", { bubbles: true }));
}

// Chrome on Android marks each guess as final, without confidence, and repeats all words in the next result.
const guessesAloud = () => /Android/.test(navigator.userAgent);

const isCertain = ({ isFinal, 0: { confidence } }) => isFinal && !(guessesAloud() && confidence === 0);

function joined(transcripts) {
  if (!guessesAloud()) return transcripts.join("");
  return transcripts.filter((words, at) => !transcripts[at + 1]?.startsWith(words)).join(" ");
}

class Dictation {
  #recognition;
  #taken = 0;
  #lastTaken = "";
  #interim = "";
  #waiting = "";
  #isComposing = false;
  #problem = "";

  /**
   * Start, until `going` is aborted. `onInterim` gets provisional text, `onProblem` a failure.
   * @param {HTMLTextAreaElement} box
   * @param {AbortController} going
   */
  constructor(box, going, { isLocal, onInterim, onProblem }) {
    this.box = box;
    this.going = going;
    this.onInterim = onInterim;
    this.onProblem = onProblem;
    const recognition = new (recognizer())();
    this.#recognition = recognition;
    recognition.lang = language();
    recognition.continuous = true;
    recognition.interimResults = true;
    if (isLocal) recognition.processLocally = true;
    recognition.onresult = (event) => this.#hear(event);
    recognition.onerror = ({ error }) => this.#note(error);
    recognition.onend = this.finish;
    const { signal } = going;
    signal.addEventListener("abort", () => this.#end());
    box.addEventListener("compositionstart", () => this.#compose(true), { signal });
    box.addEventListener("compositionend", () => this.#compose(false), { signal });
    // The recognized text belongs to the question that is sent.
    box.form.addEventListener("submit", this.finish, { signal, capture: true });
    document.addEventListener("keydown", this.#key, { signal });
    try {
      recognition.start();
    } catch {
      this.#problem = unknown();
      this.finish();
    }
  }

  finish = () => this.going.abort();

  #key = (event) => {
    if (event.key !== "Escape" || event.defaultPrevented || composes(event)) return;
    event.preventDefault();
    this.finish();
  };

  // A pause after words is not a problem.
  #note(error) {
    const isPause = error === "no-speech" && (this.#taken > 0 || this.#interim);
    if (error !== "aborted" && !isPause) this.#problem = (PROBLEMS[error] ?? unknown)();
  }

  #hear({ results }) {
    if (this.going.signal.aborted) return;
    const heard = [...results];
    for (const [at, result] of heard.entries()) {
      // Some browsers repeat a result.
      if (!isCertain(result) || at < this.#taken) continue;
      this.#take(this.#newWords(heard.slice(this.#taken, at + 1)));
      this.#taken = at + 1;
      this.#lastTaken = result[0].transcript;
    }
    this.#interim = this.#newWords(heard.slice(this.#taken)).trim();
    this.onInterim(this.#interim);
  }

  #newWords(results) {
    const said = joined([this.#lastTaken, ...results.map((result) => result[0].transcript)]);
    return said.slice(this.#lastTaken.length);
  }

  // A composition in progress is not disturbed.
  #take(words) {
    if (this.#isComposing) this.#waiting += ` ${words}`;
    else insert(this.box, words);
  }

  #compose(isComposing) {
    this.#isComposing = isComposing;
    if (isComposing) return;
    insert(this.box, this.#waiting);
    this.#waiting = "";
  }

  #end() {
    this.#recognition.abort();
    insert(this.box, `${this.#waiting} ${this.#interim}`);
    if (this.#problem) this.onProblem(this.#problem);
    else announce(t("Dictation is off."));
  }
}

const question = () => ({
  title: t("Dictate your question?"),
  action: t("Dictate"),
  words: t(
    "Your browser converts speech to text, and may send the sound to its maker: Chrome sends it to Google. This chat receives only the text you send. You are asked only once.",
  ),
});

/**
 * Dictate into `box` until `going` is aborted; a person is asked first if speech may be sent.
 * @param {HTMLTextAreaElement} box
 * @param {AbortController} going
 */
export async function dictate(box, going, { mayAsk, setInterim, setOn, onProblem }) {
  const isLocal = await isOnDevice();
  if (going.signal.aborted) return;
  if (!isLocal && !(await mayAsk(ALLOWED, question()))) going.abort();
  if (going.signal.aborted) return;
  setOn(true);
  announce(t("Dictation is on."));
  new Dictation(box, going, { isLocal, onInterim: setInterim, onProblem });
}
