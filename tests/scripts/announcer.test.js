import { beforeEach, expect, jest, test } from "bun:test";
import { announce, hush, leaveSound, recite, takeSound } from "../../chat_ui/components/speech/announcer.jsx";

const region = () => [...document.querySelectorAll("#announcements p")].map(({ textContent }) => textContent);

beforeEach(() => {
  jest.useFakeTimers();
  document.body.innerHTML = '<div id="announcements"></div>';
  return () => jest.useRealTimers();
});

test("what is announced stands there for a second", () => {
  announce("Copied.");
  expect(region()).toEqual(["Copied."]);
  jest.advanceTimersByTime(1000);
  expect(region()).toEqual([]);
});

test("of two texts that are long together, one waits for the other", () => {
  const sentence = `${"word ".repeat(39)}end.`;
  recite([{ words: sentence, lang: "en" }]);
  recite([{ words: sentence, lang: "en" }]);
  expect(region()).toEqual([sentence]);
  jest.advanceTimersByTime(1000);
  expect(region()).toEqual([sentence]);
  jest.advanceTimersByTime(1000);
  expect(region()).toEqual([]);
});

test("what the page says goes before what waits of an answer", () => {
  const long = `${"word ".repeat(59)}end.`;
  recite([{ words: long }]);
  recite([{ words: "Rest." }]);
  announce("Copied.");
  jest.advanceTimersByTime(1000);
  expect(region()).toEqual(["Copied.", "Rest."]);
  jest.advanceTimersByTime(1000);
});

test("what waits of an answer can be left unread", () => {
  const long = `${"word ".repeat(59)}end.`;
  recite([{ words: long }]);
  recite([{ words: "Rest." }]);
  hush();
  jest.advanceTimersByTime(1000);
  expect(region()).toEqual([]);
});

test("what waits of an answer waits until nothing is read aloud or dictated, and the newer of these ends the other", () => {
  const ended = [];
  const listening = () => ended.push("listening");
  const dictation = () => ended.push("dictation");
  takeSound(listening);
  takeSound(dictation);
  expect(ended).toEqual(["listening"]);
  recite([{ words: "Rest." }]);
  announce("Copied.");
  leaveSound(listening);
  expect(region()).toEqual(["Copied."]);
  leaveSound(dictation);
  expect(region()).toEqual(["Copied.", "Rest."]);
  jest.advanceTimersByTime(1000);
});

test("words of two languages are one line, and each says its language", () => {
  recite([
    { words: "Oui ", lang: "fr" },
    { words: "source 1.", lang: "en" },
  ]);
  const line = document.querySelector("#announcements p");
  expect(line.outerHTML).toBe('<p lang="fr">Oui <span lang="en">source 1.</span></p>');
  jest.advanceTimersByTime(1000);
});
