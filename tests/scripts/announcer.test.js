import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { announce, announceText, hush, leaveSound, takeSound } from "../../chat_ui/page/announcing/announcer.jsx";

const region = () => [...document.querySelectorAll("#announcements p")].map(({ textContent }) => textContent);

beforeEach(() => {
  jest.useFakeTimers();
  document.body.innerHTML = '<div id="announcements"></div>';
});
afterEach(() => {
  // Earlier announcements are over.
  jest.advanceTimersByTime(10_000);
  jest.useRealTimers();
});

test("an announcement stays for a second", () => {
  announce("Copied.");
  expect(region()).toEqual(["Copied."]);
  jest.advanceTimersByTime(1000);
  expect(region()).toEqual([]);
});

test("two long texts are announced in turn", () => {
  const sentence = `${"word ".repeat(39)}end.`;
  announceText(sentence);
  announceText(sentence);
  expect(region()).toEqual([sentence]);
  jest.advanceTimersByTime(1000);
  expect(region()).toEqual([sentence]);
  jest.advanceTimersByTime(1000);
  expect(region()).toEqual([]);
});

test("a message of the page precedes the rest of an answer", () => {
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

test("the rest of an answer waits for speech and dictation", () => {
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
