import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { announce, announceText, hush, leaveSound, takeSound } from "../../chat_ui/page/announcing/announcer.jsx";

const region = () => [...document.querySelectorAll("#announcements p")].map(({ textContent }) => textContent);

beforeEach(() => {
  jest.useFakeTimers();
  document.body.innerHTML = '<div id="announcements"></div>';
});
afterEach(() => {
  // What was announced has been said.
  jest.advanceTimersByTime(10_000);
  jest.useRealTimers();
});

test("what is announced stands there for a second", () => {
  announce("Copied.");
  expect(region()).toEqual(["Copied."]);
  jest.advanceTimersByTime(1000);
  expect(region()).toEqual([]);
});

test("of two texts that are long together, one waits for the other", () => {
  const sentence = `${"word ".repeat(39)}end.`;
  announceText(sentence);
  announceText(sentence);
  expect(region()).toEqual([sentence]);
  jest.advanceTimersByTime(1000);
  expect(region()).toEqual([sentence]);
  jest.advanceTimersByTime(1000);
  expect(region()).toEqual([]);
});

test("what the page says goes before what waits of an answer, which can be left unread", () => {
  const isLeft = [];
  for (const leave of [() => {}, hush]) {
    announceText(`${"word ".repeat(59)}end.`);
    announceText("Rest.");
    leave();
    announce("Copied.");
    jest.advanceTimersByTime(1000);
    isLeft.push(region());
    jest.advanceTimersByTime(1000);
  }
  expect(isLeft).toEqual([["Copied.", "Rest."], ["Copied."]]);
});

test("what waits of an answer waits until nothing is read aloud or dictated, and the newer of these ends the other", () => {
  const ended = [];
  const listening = () => ended.push("listening");
  const dictation = () => ended.push("dictation");
  takeSound(listening);
  takeSound(dictation);
  expect(ended).toEqual(["listening"]);
  announceText("Rest.");
  announce("Copied.");
  leaveSound(listening);
  expect(region()).toEqual(["Copied."]);
  leaveSound(dictation);
  expect(region()).toEqual(["Copied.", "Rest."]);
  jest.advanceTimersByTime(1000);
});
