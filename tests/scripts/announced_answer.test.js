import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { AnnouncedAnswer } from "../../chat_ui/components/speech/announced_answer.js";

const SOON = 1500;

beforeEach(() => {
  jest.useFakeTimers();
});

afterEach(() => {
  jest.advanceTimersByTime(20 * SOON);
  jest.useRealTimers();
});

function show(html) {
  document.body.innerHTML = `<div id="announcements"></div>${html}`;
  return document.querySelector(".answer-text");
}

const said = () => [...document.querySelectorAll("#announcements p")].map(({ textContent }) => textContent.trim());

test("a sentence is announced once it has ended, in the language of the answer", () => {
  const root = show('<div class="answer-text" lang="de"><div><p>Bojen sind rot. Sie</p></div></div>');
  const answer = new AnnouncedAnswer(root);
  answer.goOn();
  jest.advanceTimersByTime(SOON);
  expect(said()).toEqual(["Bojen sind rot."]);
  expect(document.querySelector("#announcements p").lang).toBe("de");
  root.innerHTML = "<div><p>Bojen sind rot. Sie schwimmen</p></div><div><p>Ja. Und</p></div>";
  answer.goOn();
  jest.advanceTimersByTime(SOON);
  expect(said()).toEqual(["Sie schwimmen", "Ja."]);
  answer.leave();
});

test("a sentence that seemed to have ended goes on where it was left", () => {
  const root = show("<div class='answer-text'><div><p>They float, e.g.</p></div></div>");
  const answer = new AnnouncedAnswer(root);
  answer.goOn();
  jest.advanceTimersByTime(SOON);
  expect(said()).toEqual(["They float, e.g."]);
  root.innerHTML = "<div><p>They float, e.g. red ones. They</p></div>";
  answer.goOn();
  jest.advanceTimersByTime(SOON);
  expect(said()).toEqual(["red ones."]);
  answer.leave();
});

test("that an answer was recorded is said before its text", async () => {
  const root = show(`<article><p class="recorded-on"><span>Recorded on 20 November 2025.</span></p>
    <div class="answer-text"><div><p>The plan pays.</p></div></div></article>`);
  const answer = new AnnouncedAnswer(root);
  await answer.end("finished");
  answer.leave();
  expect(said()).toEqual(["Answering.", "Recorded on 20 November 2025.", "The plan pays.", "Finished."]);
});

test("the rest of an answer that failed waits for the alert that says so", () => {
  const root = show('<div class="answer-text"><div><p>They float on</p></div></div>');
  const answer = new AnnouncedAnswer(root);
  answer.end("failed");
  expect(said()).toEqual(["Answering."]);
  jest.advanceTimersByTime(SOON - 1);
  expect(said()).toEqual([]);
  answer.leave();
});

test("an answer in an arm of a comparison is named, and another one leaves it be", async () => {
  show(`<div data-arm="first"><article><div class="answer-text"><div><p>Twenty.</p></div></div></article></div>
    <div data-arm="second"><article><div class="answer-text"><div><p>Twelve.</p></div></div></article></div>`);
  const [left, right] = [...document.querySelectorAll(".answer-text")].map((root) => new AnnouncedAnswer(root));
  await Promise.all([left.end("finished"), right.end("finished")]);
  left.leave();
  right.leave();
  for (const words of ["Left: Answering.", "Right: Answering.", "Left: Twenty.", "Right: Twelve."])
    expect(said()).toContain(words);
});

test("a text that takes the place of the one before is read from its beginning", async () => {
  const root = show("<div class='answer-text'><div><p>The reader asks about leave.</p></div></div>");
  const answer = new AnnouncedAnswer(root);
  await answer.end("finished");
  root.innerHTML = "<div><p>Twenty days.</p></div>";
  await answer.end("finished");
  root.innerHTML = '<div><p>Twenty days<span class="cited">\u00a0<button class="citation">1</button>.</span></p></div>';
  await answer.end("finished");
  answer.leave();
  expect(said().filter((words) => words.startsWith("Twenty"))).toEqual(["Twenty days."]);
});
