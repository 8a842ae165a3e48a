import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { Listening } from "../../chat_ui/features/speech/page/listening.js";
import { settled } from "./rendering.js";

const EMMA = { name: "Emma", lang: "en-GB", localService: true, default: true };
const JONAS = { name: "Jonas", lang: "de-DE", localService: true, default: false };
const FAR = { name: "Far Away English", lang: "en-US", localService: false, default: true };

const page = { onEnd: jest.fn(), onProblem: jest.fn(), mayAsk: jest.fn() };
const { speechSynthesis: former, SpeechSynthesisUtterance: formerUtterance } = globalThis;
let said;
let speech;
let listening;

beforeEach(() => {
  jest.useFakeTimers();
  for (const act of Object.values(page)) act.mockReset();
  said = [];
  speech = { speaking: false, pending: false, cancel: jest.fn(), speak: (utterance) => said.push(utterance) };
  globalThis.speechSynthesis = speech;
  globalThis.SpeechSynthesisUtterance = /** @type {any} */ (
    class {
      constructor(text) {
        this.text = text;
      }
    }
  );
});
afterEach(() => {
  listening.stop();
  jest.useRealTimers();
  Object.assign(globalThis, { speechSynthesis: former, SpeechSynthesisUtterance: formerUtterance });
});

/** Read an answer aloud with these voices, until its first words or its end. */
async function read(html, ...voices) {
  speech.getVoices = () => voices;
  document.body.innerHTML = `<article><div class="answer-text" lang="de">${html}</div></article>`;
  listening?.stop();
  page.onEnd.mockClear();
  listening = new Listening(document.querySelector(".answer-text"), page);
  await settled();
  jest.advanceTimersByTime(100);
}

const words = () => said.map(({ text, lang, voice }) => [text, lang, voice?.name]);

test("an answer is read in its language, and code as its length in the page's", async () => {
  const code = '<div><div class="code-block"><pre><code>a\n</code></pre></div></div>';
  await read(`<div><p>Bojen sind rot.</p></div>${code}`, EMMA, JONAS);
  expect(words()).toEqual([["Bojen sind rot.", "de-DE", "Jonas"]]);
  said[0].onend();
  expect(words()[1]).toEqual(["code, one line", "en-GB", "Emma"]);
  said[1].onend();
  expect([said.length, page.onEnd.mock.calls.length]).toEqual([2, 1]);
});

test("a missing voice is announced and nothing is read", async () => {
  await read("<div><p>Bojen sind rot.</p></div>", EMMA);
  expect([said, page.onProblem.mock.calls]).toEqual([[], [["Text in German; this browser has no voice for it."]]]);
});

test("a remote voice needs consent", async () => {
  for (const [isAllowed, count] of [
    [false, 0],
    [true, 1],
  ]) {
    page.mayAsk.mockResolvedValue(isAllowed);
    await read('<div lang="en"><p>Red.</p></div>', JONAS, FAR);
    expect([page.mayAsk.mock.lastCall[1].words.includes("“Far Away English”"), said.length]).toEqual([true, count]);
  }
});

test("a failed utterance ends the reading with a message", async () => {
  await read("<div><p>Eins.</p><p>Zwei.</p><p>Drei.</p></div>", JONAS);
  said[0].onerror({ error: "interrupted" });
  expect(words().at(-1)[0]).toBe("Zwei.");
  said[1].onerror({ error: "synthesis-failed" });
  expect([said.length, page.onProblem.mock.lastCall[0]]).toEqual([2, expect.stringContaining("choose another voice")]);
});

test("reading continues without the browser's end event", async () => {
  speech.speaking = true;
  await read("<div><p>Eins.</p><p>Zwei.</p></div>", JONAS);
  jest.advanceTimersByTime(20_000);
  expect(said.length).toBe(1);
  speech.speaking = false;
  jest.advanceTimersByTime(5000);
  expect(words().at(-1)[0]).toBe("Zwei.");
});

test("Escape ends the reading unless handled elsewhere", async () => {
  const escapeKey = (more) => {
    const event = new KeyboardEvent("keydown", { key: "Escape", cancelable: true, ...more });
    if (more.isTaken) event.preventDefault();
    document.dispatchEvent(event);
    return page.onEnd.mock.calls.length;
  };
  await read("<div><p>Eins.</p></div>", JONAS);
  expect([escapeKey({ isComposing: true }), escapeKey({ isTaken: true }), escapeKey({}), escapeKey({})]).toEqual([
    0, 0, 1, 1,
  ]);
  expect(speech.cancel).toHaveBeenCalled();
});
