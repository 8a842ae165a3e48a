// Takes dictation into a text box by the browser's speech recognition. Words that may still change stand outside of the box;
// certain ones come in where the caret is, so that nothing that is typed meanwhile is lost.

import { announce } from "./announcer.jsx";

const ALLOWED = "chat-ui-dictation";

const recognizer = () => globalThis.SpeechRecognition ?? globalThis.webkitSpeechRecognition;

const PROBLEMS = {
  "not-allowed":
    "The browser does not let this page use the microphone. Allow it in the browser's settings for this page.",
  "service-not-allowed": "The browser does not let this page use dictation. Type your question.",
  "audio-capture": "No microphone was found. Connect one, then try again.",
  network: "The browser cannot reach its service for dictation. Try again in a little while, or type your question.",
  "no-speech": "Nothing was heard. Check the microphone, then try again.",
  "language-not-supported": "The browser takes no dictation in your language. Type your question.",
};
const UNKNOWN = "Dictation did not work. Try again, or type your question.";

const language = () => navigator.language || document.documentElement.lang;

// Whether the browser can recognise speech on this device, and so sends nothing.
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

// Puts words where the caret of the box is, apart from the words around them.
function insert(box, words) {
  const text = words.trim();
  if (!text) return;
  const [before, after] = [box.value.slice(0, box.selectionStart), box.value.slice(box.selectionEnd)];
  const inserted = `${isApart(before, text) ? "" : " "}${text}${isApart(text, after) ? "" : " "}`;
  box.setRangeText(inserted, box.selectionStart, box.selectionEnd, "end");
  box.dispatchEvent(new Event("input", { bubbles: true }));
}

class Dictation {
  #recognition;
  #taken = 0;
  #interim = "";
  #waiting = "";
  #isComposing = false;
  #gone = new AbortController();

  /**
   * Begin. `onInterim` gets the words that may still change, `onEnd` the problem that ended it, if any.
   * @param {HTMLTextAreaElement} box
   */
  constructor(box, { isLocal, onInterim, onEnd }) {
    this.box = box;
    this.onInterim = onInterim;
    this.onEnd = onEnd;
    const recognition = new (recognizer())();
    this.#recognition = recognition;
    recognition.lang = language();
    recognition.continuous = true;
    recognition.interimResults = true;
    if (isLocal) recognition.processLocally = true;
    recognition.onresult = (event) => this.#hear(event);
    let problem = "";
    recognition.onerror = ({ error }) => {
      if (error !== "aborted") problem = PROBLEMS[error] ?? UNKNOWN;
    };
    recognition.onend = () => this.#end(problem);
    const { signal } = this.#gone;
    box.addEventListener("compositionstart", () => this.#compose(true), { signal });
    box.addEventListener("compositionend", () => this.#compose(false), { signal });
    // What has been heard belongs to the question that is sent.
    box.form.addEventListener("submit", this.finish, { signal, capture: true });
    document.addEventListener("keydown", this.#key, { signal });
    try {
      recognition.start();
    } catch {
      this.#end(UNKNOWN);
    }
  }

  /** End with what has been heard so far. */
  finish = () => {
    this.#end("");
    this.#recognition.abort();
  };

  #key = (event) => {
    if (event.key !== "Escape" || event.defaultPrevented || event.isComposing) return;
    event.preventDefault();
    this.finish();
  };

  #hear({ results }) {
    if (this.#gone.signal.aborted) return;
    const heard = [...results];
    for (const [at, result] of heard.entries()) {
      // Some browsers tell of a result again.
      if (!result.isFinal || at < this.#taken) continue;
      this.#taken = at + 1;
      this.#take(result[0].transcript);
    }
    const interim = heard.slice(this.#taken).map((result) => result[0].transcript);
    this.#interim = interim.join("").trim();
    this.onInterim(this.#interim);
  }

  // A word that is being composed is not disturbed.
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

  #end(problem) {
    if (this.#gone.signal.aborted) return;
    this.#gone.abort();
    insert(this.box, `${this.#waiting} ${this.#interim}`);
    this.onInterim("");
    this.onEnd(problem);
  }
}

/** Take dictation into `box` until `current`, which then has it, finishes; a person is asked first where sound may be sent. */
export async function dictate(box, current, { setAsked, setInterim, setOn, onProblem }) {
  const isLocal = await isOnDevice();
  if (!isLocal && localStorage.getItem(ALLOWED) !== "yes") {
    const isAllowed = await new Promise((onDecide) =>
      setAsked({
        title: "Dictate your question?",
        action: "Dictate",
        words:
          "Your browser turns speech into text, and may send the sound to its maker for that: Chrome sends it to Google. This chat gets the text alone, once you send it. You are asked this once.",
        onDecide,
      }),
    );
    setAsked(null);
    if (!isAllowed) return;
    localStorage.setItem(ALLOWED, "yes");
  }
  if (current.current) return;
  setOn(true);
  announce("Dictation is on.");
  current.current = new Dictation(box, {
    isLocal,
    onInterim: setInterim,
    onEnd: (problem) => {
      current.current = null;
      setOn(false);
      if (problem) onProblem(problem);
      else announce("Dictation is off.");
    },
  });
}
