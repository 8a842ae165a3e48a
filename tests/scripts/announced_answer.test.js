import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { AnnouncedAnswer } from "../../chat_ui/page/announcing/announced_answer.js";

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

test("a sentence with a seeming end continues at its place", () => {
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

test("a recorded answer is announced as one before its text", async () => {
  const root = show(`<article><p class="recorded-on"><span>Recorded on 20 November 2025.</span></p>
    <div class="answer-text"><div><p>The plan pays.</p></div></div></article>`);
  const answer = new AnnouncedAnswer(root);
  await answer.end("finished");
  answer.leave();
  expect(said()).toEqual(["Answering.", "Recorded on 20 November 2025.", "The plan pays.", "Finished."]);
});

test("the notice of AI is said with the first answer of each conversation", () => {
  const notice = '<p class="ai-notice"><span>AI wrote this.</span><span>AI</span></p>';
  const heard = ["a.1", "a.2", "b.1"].map((answer) => {
    new AnnouncedAnswer(show(`${notice}<div class="answer-text"></div>`), `/api/answers/${answer}`).leave();
    const words = said();
    jest.advanceTimersByTime(SOON);
    return words;
  });
  expect(heard).toEqual([["Answering. AI wrote this."], ["Answering."], ["Answering. AI wrote this."]]);
});

test.each(["failed", "stopped"])("the rest of an answer that %s waits for its alert", (status) => {
  const root = show('<div class="answer-text"><div><p>They float on</p></div></div>');
  const answer = new AnnouncedAnswer(root);
  answer.end(status);
  expect(said()).toEqual(["Answering."]);
  jest.advanceTimersByTime(SOON - 1);
  expect(said()).toEqual([]);
  answer.leave();
});

test("an answer in a column of a comparison is announced by its name", async () => {
  show(`<div data-column="first"><article><div class="answer-text"><div><p>Twenty.</p></div></div></article></div>
    <div data-column="second"><article><div class="answer-text"><div><p>Twelve.</p></div></div></article></div>`);
  const [left, right] = [...document.querySelectorAll(".answer-text")].map((root) => new AnnouncedAnswer(root));
  await Promise.all([left.end("finished"), right.end("finished")]);
  left.leave();
  right.leave();
  for (const words of ["Left: Answering.", "Right: Answering.", "Left: Twenty.", "Right: Twelve."])
    expect(said()).toContain(words);
});

test("a replaced text is read from its beginning", async () => {
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

test("a long answer is announced whole in short parts until another one", async () => {
  const lines = Array.from({ length: 40 }, (_, at) => `<p>Line ${at} ${"word ".repeat(20)}end.</p>`).join("");
  const root = show(`<div class="answer-text"><div>${lines}</div></div><div class="other"></div>`);
  const answer = new AnnouncedAnswer(root);
  await answer.end("finished");
  const heard = [];
  for (let seconds = 0; seconds < 20; seconds++) {
    expect(said().join("").length).toBeLessThanOrEqual(300);
    heard.push(...said());
    jest.advanceTimersByTime(1000);
  }
  const numbers = heard.flatMap((words) => words.match(/Line \d+/g) ?? []);
  expect(numbers).toEqual(Array.from(numbers, (_, at) => `Line ${at}`));
  expect(numbers.length).toBeGreaterThan(10);
  const other = new AnnouncedAnswer(document.querySelector(".other"));
  expect(said().at(-1)).toBe("Answering.");
  jest.advanceTimersByTime(1000);
  expect(said()).toEqual([]);
  other.leave();
});

test("pictures are counted after the end, when they are shown", async () => {
  const root = show('<article><div class="answer-text"><div><p>Here.</p></div></div></article>');
  const answer = new AnnouncedAnswer(root);
  await answer.end("finished");
  const figures = ["<img data-whole>", '<a class="remote-image"></a>', "<img>"].map(
    (html) => `<figure class="picture">${html}</figure>`,
  );
  root.insertAdjacentHTML("afterend", figures.join(""));
  expect(said().at(-1)).toBe("Finished.");
  jest.advanceTimersByTime(SOON);
  expect(said().at(-1)).toBe("It has 2 images.");
  answer.leave();
});
