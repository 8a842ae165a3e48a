import { expect, test } from "bun:test";
import { Recital } from "../../chat_ui/components/speech/recital.js";

test("an error behind an open sheet is announced, and is no alert any more when the sheet is closed", async () => {
  document.body.innerHTML = `<div id="announcements"></div><div inert><article>
    <div class="answer-text"></div><div role="alert"><p>The model is asleep.</p><button>Try again</button></div>
  </article></div>`;
  const recital = new Recital(document.querySelector(".answer-text"));
  await recital.end("failed");
  recital.leave();
  expect(document.getElementById("announcements").textContent).toContain("The model is asleep.");
  expect(document.querySelectorAll("[role=alert]").length).toBe(0);
});

test("that an answer was recorded is said before its text", async () => {
  document.body.innerHTML = `<div id="announcements"></div><article>
    <p class="recorded-on"><span>Recorded on 20 November 2025.</span></p>
    <div class="answer-text"><div class="block"><p>The plan pays.</p></div></div>
  </article>`;
  const recital = new Recital(document.querySelector(".answer-text"));
  await recital.end("finished");
  recital.leave();
  expect(document.getElementById("announcements").textContent).toMatch(
    /Recorded on 20 November 2025\..*The plan pays\./,
  );
});

test("an answer in an arm of a comparison is named, and another one leaves it be", async () => {
  document.body.innerHTML = `<div id="announcements"></div>
    <div data-arm="first"><article><div class="answer-text"><div><p>Twenty.</p></div></div></article></div>
    <div data-arm="second"><article><div class="answer-text"><div><p>Twelve.</p></div></div></article></div>`;
  const [left, right] = [...document.querySelectorAll(".answer-text")].map((root) => new Recital(root));
  await Promise.all([left.end("finished"), right.end("finished")]);
  left.leave();
  right.leave();
  const said = [...document.querySelectorAll("#announcements p")].map((line) => line.textContent.trim());
  expect(said).toContain("Left: Answering.");
  expect(said).toContain("Right: Answering.");
  expect(said).toContain("Left: Twenty.");
  expect(said).toContain("Right: Twelve.");
});

test("a text that takes the place of the one before is read from its beginning", async () => {
  document.body.innerHTML = `<div id="announcements"></div>
    <div class="answer-text"><div class="block"><p>The reader asks about leave.</p></div></div>`;
  const root = document.querySelector(".answer-text");
  const recital = new Recital(root);
  await recital.end("finished");
  root.innerHTML = `<div class="block"><p>Twenty days.</p></div>`;
  await recital.end("finished");
  root.innerHTML = `<div class="block"><p>Twenty days <button class="citation">1</button>.</p></div>`;
  await recital.end("finished");
  recital.leave();
  const said = [...document.querySelectorAll("#announcements p")].map((line) => line.textContent.trim());
  expect(said.filter((words) => words.startsWith("Twenty"))).toEqual(["Twenty days."]);
});
