// The steps of a presentation, with a simulated page.

import { afterEach, beforeEach, expect, jest, spyOn, test } from "bun:test";
import { createElement } from "react";
import { setPending } from "../../chat_ui/page/asking/pending_questions.js";
import { Command } from "../../chat_ui/page/commands/commands.js";
import { begin, end, presentation, takeScript } from "../../chat_ui/features/presenting/page/presentation.js";
import {
  again,
  back,
  giveDraftBack,
  inform,
  next,
  progress,
  stop,
} from "../../chat_ui/features/presenting/page/steps.js";
import { doing, leave, render, settled } from "./rendering.js";

const [PLAN, LEAVE, WHY] = ["What does the plan cost?", "How much leave is there?", "And why?"];
const STEPS = [PLAN, LEAVE, WHY].map((question) => ({ question, open: null, notes: "" }));

/** The state of the page, with an answer at once. */
let known;
let did;
let isReduced;
let refusal;

const box = () => document.querySelector("#message");
const questions = () => known.turns.map(({ question }) => question);

function learn(more) {
  known = { ...known, ...more };
  known.latest = known.turns.at(-1)?.answer ?? {};
  inform(known);
}

/** Give the steps the state of the page, and let their waits pass. */
async function tell(more = {}) {
  learn(more);
  await pass(200);
}

async function pass(milliseconds) {
  for (let passed = 0; passed < milliseconds; passed += 50) {
    jest.advanceTimersByTime(50);
    await settled();
  }
}

function turn(question, conversation = "c1") {
  const address = `/answers/${question}`;
  document.body.insertAdjacentHTML(
    "beforeend",
    `<div class="answer-text" data-address="${address}" data-status="finished">So it is.</div>`,
  );
  const answer = { id: question, address, live: false, error: "", notice: "", sources: 1 };
  return { id: `${conversation} ${question}`, conversation, question, question_is_cut: false, answer };
}

function ask(question) {
  did.push(question);
  setPending([{ question }]);
  setTimeout(() => {
    setPending([]);
    if (refusal) learn({ refusal, returnedAs: "r1" });
    else learn({ turns: [...known.turns, turn(question)] });
  });
}

beforeEach(async () => {
  jest.useFakeTimers();
  isReduced = true;
  refusal = "";
  spyOn(globalThis, "matchMedia").mockImplementation(/** @type {any} */ (() => ({ matches: isReduced })));
  did = [];
  const acts = {
    onClose: () => {},
    onNew: () => learn({ turns: [], missing: "" }),
    onPoint: (_address, point) => did.push(`point ${point}`),
  };
  known = { turns: [], hasEarlier: false, missing: "", isReady: true, isOtherLive: false, insteadOf: "", ...acts };
  Object.assign(known, { refusal: "", returnedAs: "" });
  const commands = { ask, fill: (words) => did.push(`fill ${words}`), regenerate: () => did.push("regenerate") };
  await render(...Object.entries(commands).map(([name, onRun]) => createElement(Command, { key: name, name, onRun })));
  document.body.insertAdjacentHTML("beforeend", '<form><textarea id="message"></textarea></form>');
  takeScript(STEPS, null, false);
  begin();
  await tell();
});

afterEach(async () => {
  end();
  jest.useRealTimers();
  await leave();
});

async function press(...keys) {
  for (const key of keys) {
    await doing(key);
    await pass(200);
  }
}

test("a question is typed, withdrawn, and completed by a second press", async () => {
  isReduced = false;
  await press(next);
  expect([box().value, progress().phase]).toEqual([expect.stringMatching(/^What?[\w ]*$/), "typing"]);
  await press(back);
  expect([box().value, progress().phase, presentation().at]).toEqual(["", "before", -1]);
  await press(next, next);
  expect([did, progress().phase]).toEqual([[PLAN], "done"]);
  await press(next, next, next, next, next);
  expect([did, progress().remark]).toEqual([[PLAN, LEAVE, WHY], "End of the script"]);
});

test("a question from the room is separate, and the script continues", async () => {
  box().value = "a first draft";
  await press(next);
  await tell({ turns: [...known.turns, turn("Of the room?")] });
  expect([presentation().isApart, progress().phase]).toEqual([true, "done"]);
  await press(back);
  expect([presentation().isApart, presentation().at]).toEqual([false, 0]);
  box().value = "a second draft";
  await press(next, back, next);
  expect([did, presentation().at]).toEqual([[PLAN, LEAVE], 1]);
  await press(again, giveDraftBack);
  expect(did.slice(2)).toEqual(["regenerate", "fill a first draft\na second draft"]);
});

test("a presentation returns to its conversation, or begins a new one", async () => {
  const gone = [];
  await tell({ turns: [turn("Something else?", "c0")], goTo: (conversation) => gone.push(conversation) });
  await press(next);
  expect(questions()).toEqual([PLAN]);
  const shown = known.turns;
  await tell({ turns: [turn("Another matter?", "c2")] });
  await press(next);
  expect([gone, did]).toEqual([["c1"], [PLAN]]);
  await tell({ turns: shown });
  expect(did).toEqual([PLAN, LEAVE]);
  await tell({ turns: [] });
  await press(next);
  await tell({ missing: "c1" });
  expect([did, questions()]).toEqual([[PLAN, LEAVE, WHY], [WHY]]);
  expect(presentation().turns.filter(Boolean)).toEqual([`c1 ${WHY}`]);
});

test("an early step of a long conversation is loaded and its part opened", async () => {
  takeScript(
    STEPS.map((step) => ({ ...step, open: { what: "document", number: 2 } })),
    null,
    false,
  );
  await press(next, next, next);
  const all = known.turns;
  const onEarlier = () => setTimeout(() => learn({ turns: all.slice(-known.turns.length - 1) }));
  await tell({ turns: all.slice(-1), hasEarlier: true, onEarlier });
  await press(back, back);
  expect([presentation().at, questions()]).toEqual([0, [PLAN, LEAVE, WHY]]);
  expect(did.filter((one) => !one.startsWith("point"))).toEqual([PLAN, LEAVE, WHY]);
  document.body.insertAdjacentHTML("beforeend", "<div class=side-panel><ul class=sources><li>One<li>Two</ul></div>");
  await pass(200);
  expect(progress().remark).toBe("Source 2 of this answer has no document to open.");
});

test("a running step ends with the presentation, and a refused one is repeated", async () => {
  document.body.insertAdjacentHTML("beforeend", "<div class=side-panel></div>");
  await press(next, stop);
  document.querySelector(".side-panel").remove();
  await pass(1000);
  expect(did).toEqual([]);
  begin();
  refusal = "Ask a little later.";
  await press(next);
  expect([questions(), progress().phase, progress().outcome.error]).toEqual([[], "failed", refusal]);
  refusal = "";
  await press(next);
  expect([questions(), progress().phase]).toEqual([[PLAN], "done"]);
});
