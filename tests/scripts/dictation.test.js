import { afterEach, beforeEach, expect, jest, spyOn, test } from "bun:test";
import { dictate } from "../../chat_ui/features/speech/page/dictation.js";

let recognition;
let began;
let going = new AbortController();
const page = { mayAsk: jest.fn(), setInterim: jest.fn(), setOn: jest.fn(), onProblem: jest.fn() };

class Recognizer {
  static available = async () => "available";
  start() {
    recognition = this;
    began += 1;
  }
  abort() {
    this.onend();
  }
}

const result = ([transcript, isFinal, confidence = 0.9]) => Object.assign([{ transcript, confidence }], { isFinal });
const hear = (...results) => recognition.onresult({ results: results.map(result) });
const box = () => document.querySelector("textarea");

async function begin() {
  going.abort();
  going = new AbortController();
  await dictate(box(), going, page);
  return going;
}

beforeEach(() => {
  jest.useFakeTimers();
  document.body.innerHTML = '<div id="announcements"></div><form><textarea></textarea></form>';
  began = 0;
  for (const act of Object.values(page)) act.mockClear();
  globalThis.SpeechRecognition = Recognizer;
  localStorage.clear();
});
afterEach(() => {
  going.abort();
  delete globalThis.SpeechRecognition;
  // Earlier announcements are over.
  jest.advanceTimersByTime(60_000);
  jest.useRealTimers();
});

test.each([
  ["the browser is asked what it can do", ["unavailable"]],
  ["the browser finds that it can do it itself", ["available"]],
  ["the person is asked", ["unavailable", true]],
])("a dictation that is given up while %s never begins", async (_words, answers) => {
  const given = new AbortController();
  const asked = [spyOn(Recognizer, "available"), page.mayAsk];
  for (const [at, ask] of asked.entries())
    ask.mockImplementation(async () => {
      if (at === answers.length - 1) given.abort();
      return answers[at];
    });
  await dictate(box(), given, page);
  const calls = asked.flatMap(({ mock }) => mock.calls).length;
  expect([calls, began, page.setOn.mock.calls.length]).toEqual([answers.length, 0, 0]);
  asked[0].mockRestore();
});

test("repeated final results on Android give each word once", async () => {
  Object.defineProperty(navigator, "userAgent", { value: "Mozilla/5.0 (Linux; Android 14)", configurable: true });
  const guesses = ["hello", "hello world", "hello world how", "hello world how are you"];
  for (const confidence of [0, 0.9]) {
    box().value = "";
    const going = await begin();
    for (let count = 1; count <= guesses.length; count += 1)
      hear(...guesses.slice(0, count).map((words) => [words, true, confidence]));
    going.abort();
    expect(box().value).toBe("hello world how are you");
  }
  delete navigator.userAgent;
});

test("dictation uses the page's language with the browser's region", async () => {
  const { lang } = document.documentElement;
  for (const [page, browser, spoken] of [
    ["de", ["en-US", "de-AT", "de-DE"], "de-AT"],
    ["de", ["en-US", "fr"], "de"],
    ["en", ["en-GB"], "en-GB"],
    ["nb", ["no"], "no"],
  ]) {
    document.documentElement.lang = page;
    Object.defineProperty(navigator, "languages", { value: browser, configurable: true });
    const available = spyOn(Recognizer, "available");
    const going = await begin();
    expect([recognition.lang, available.mock.calls[0][0].langs]).toEqual([spoken, [spoken]]);
    going.abort();
    available.mockRestore();
  }
  delete navigator.languages;
  document.documentElement.lang = lang;
});

test("words spoken twice are entered twice", async () => {
  await begin();
  hear(["no", true], [" no", true], [" no I do not", true]);
  expect(box().value).toBe("no no no I do not");
});

test("final words are entered at the caret, and interim ones shown beside the box", async () => {
  box().value = "What about ? Thanks.";
  box().setSelectionRange(11, 11);
  await begin();
  hear(["red boys", false]);
  expect([box().value, page.setInterim.mock.lastCall]).toEqual(["What about ? Thanks.", ["red boys"]]);
  hear(["red buoys", true], [" and", false]);
  expect([box().value, page.setInterim.mock.lastCall]).toEqual(["What about red buoys? Thanks.", ["and"]]);
  box().setSelectionRange(20, 20);
  going.abort();
  expect(box().value).toBe("What about red buoys and? Thanks.");
});

test("a composed word is not interrupted", async () => {
  await begin();
  box().value = "日本";
  box().dispatchEvent(new Event("compositionstart"));
  hear(["ブイ", true]);
  expect(box().value).toBe("日本");
  box().dispatchEvent(new Event("compositionend"));
  expect(box().value).toBe("日本ブイ");
});

test("Escape and sending end dictation, except a composing Escape", async () => {
  const ended = [];
  const escapeKey = (more) => new KeyboardEvent("keydown", { key: "Escape", cancelable: true, ...more });
  for (const [place, event] of [
    [document, escapeKey({ isComposing: true })],
    [document, escapeKey()],
    [box().form, new Event("submit")],
  ]) {
    await begin();
    place.dispatchEvent(event);
    ended.push(going.signal.aborted);
  }
  expect(ended).toEqual([false, true, true]);
});

test("errors of dictation are announced, and its normal end is not", async () => {
  const told = {};
  for (const error of ["not-allowed", "audio-capture", "network", "no-speech", "something-new", "aborted"]) {
    page.onProblem.mockClear();
    await begin();
    recognition.onerror({ error });
    recognition.onend();
    told[error] = page.onProblem.mock.calls.join().split(/[.,]/)[0];
  }
  expect(told).toEqual({
    "not-allowed": "The browser blocked the microphone",
    "audio-capture": "No microphone was found",
    network: "The browser cannot reach its dictation service",
    "no-speech": "No speech was heard",
    "something-new": "Dictation failed",
    aborted: "",
  });
});

test("words are entered after a selection, which stays", async () => {
  box().value = "A question";
  await begin();
  box().select();
  hear(["or two", true]);
  expect(box().value).toBe("A question or two");
});

test("a pause is an error only without words", async () => {
  for (const [words, problems] of [
    [["red buoys", true], 0],
    [["red buoys", false], 0],
    [null, 1],
  ]) {
    page.onProblem.mockClear();
    await begin();
    if (words) hear(words);
    recognition.onerror({ error: "no-speech" });
    recognition.onend();
    expect(page.onProblem.mock.calls.length).toBe(problems);
  }
});
