// An edited question stays in its box until it has replaced the former one.

import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import { createElement } from "react";
import { giveBackEdit, QuestionText } from "../../chat_ui/page/thread/question_text.jsx";
import { leave, mount } from "./mounting.js";
import { click, doing, press, type } from "./rendering.js";

const FIRST = { id: "1", conversation: "here", question: "First?", question_is_cut: false, question_address: "/q" };

let render;
let edits;

const show = (turn = FIRST) =>
  render(createElement(QuestionText, { turn, maxLength: 40, onEdit: (words) => edits.push(words), key: turn.id }));
const box = () => document.querySelector("textarea");
const nameOf = (element) => element.getAttribute("aria-label") || element.textContent;
const choose = (name) => click([...document.querySelectorAll("button")].find((one) => nameOf(one) === name));

async function edit(words) {
  await choose("Edit question");
  await type(box(), words);
}

async function loadAgain(turn = FIRST) {
  render = await mount();
  await show(turn);
}

beforeEach(async () => {
  sessionStorage.clear();
  edits = [];
  render = await mount();
  await show();
});
afterEach(leave);

test("a half-typed edit survives a reload until its question is there", async () => {
  await edit("First, really?");
  await loadAgain();
  expect([box().value, document.activeElement]).toEqual(["First, really?", box()]);
  for (const key of ["Enter", "Escape"])
    for (const more of [{ isComposing: true }, { keyCode: 229 }]) expect(await press(box(), key, more)).toBe(false);
  await press(box(), "Enter", { shiftKey: true });
  expect([edits, box().value]).toEqual([[], "First, really?"]);
  await press(box(), "Enter");
  expect(edits).toEqual(["First, really?"]);
  await loadAgain();
  expect(box().value).toBe("First, really?");
  await loadAgain({ ...FIRST, id: "2", question: "First, really?" });
  expect(box()).toBeNull();
  await loadAgain();
  expect(box()).toBeNull();
  // The server may die before it writes the question.
  const held = JSON.parse(sessionStorage.getItem("chat-ui-unkept"));
  expect(held).toEqual([{ conversation: "here", turn: "2", edited: "1", question: "First, really?", images: [] }]);
});

test("a cancelled edit does not return", async () => {
  for (const giveUp of [() => press(box(), "Escape"), () => choose("Cancel")]) {
    await edit("First, re");
    await giveUp();
    expect(nameOf(document.activeElement)).toBe("Edit question");
    await loadAgain();
    expect(box()).toBeNull();
  }
});

test("an edit is not sent if blank or during an answer", async () => {
  await edit("  ");
  await press(box(), "Enter");
  await choose("Cancel");
  document.querySelector(".frame").dataset.answering = "true";
  await edit("First, really?");
  await press(box(), "Enter");
  expect(document.querySelector("[role=alert]").textContent).toStartWith("The answer is still being written.");
  expect([edits, box().value]).toEqual([[], "First, really?"]);
});

test("an edit lost by the server is in the box again", async () => {
  await doing(() => giveBackEdit("1", "First, really?"));
  expect(box().value).toBe("First, really?");
});

test("the rest of a long question is fetched for reading and editing", async () => {
  spyOn(globalThis, "fetch").mockImplementation(/** @type {any} */ (async () => new Response("First, and all of it?")));
  const cut = { ...FIRST, id: "3", question: "First, and", question_is_cut: true };
  await show(cut);
  await choose("Show the whole question");
  expect(document.querySelector(".question-text").textContent).toBe("First, and all of it?");
  await show({ ...cut, id: "4" });
  await choose("Edit question");
  expect(box().value).toBe("First, and all of it?");
});
