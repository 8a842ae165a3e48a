// A rating, its reasons and its comment on a server that is slow or fails.

import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import { createElement, useState } from "react";
import { change } from "../../chat_ui/features/feedback/page/feedback.js";
import { RateAnswer } from "../../chat_ui/features/feedback/page/rate_answer.jsx";
import { click, doing, labelled, leave, press, render, type } from "./rendering.js";

const NOT_KEPT = "Your feedback cannot be saved at the moment. Try again in a moment.";
let answers = 0;
let sent;
let tellRating;

beforeEach(() => {
  sent = [];
  spyOn(globalThis, "fetch").mockImplementation(
    /** @type {any} */ (
      (_address, { method, body }) =>
        new Promise((resolve) => sent.push({ said: method ? JSON.parse(body) : "read", resolve }))
    ),
  );
});
afterEach(leave);

// A rating in another tab reaches this one as a new value.
function Told({ address }) {
  const [rating, setRating] = useState("");
  tellRating = (next) => doing(() => setRating(next));
  return createElement(RateAnswer, { address, rating });
}

async function rated() {
  answers += 1;
  await render(createElement(Told, { address: `/answers/${answers}` }));
}

const good = () => labelled("Good answer");
const bad = () => labelled("Bad answer");
const pressed = () => [good(), bad()].map((button) => button.getAttribute("aria-pressed") === "true");
const box = () => document.querySelector("textarea");
const save = () => [...document.querySelectorAll("button")].find(({ textContent }) => textContent === "Save");
const statusOf = () => document.querySelector("[role=status]").textContent;
const alertOf = () => document.querySelector("[role=alert]")?.textContent ?? "";
const saidSince = (number) => sent.slice(number).map(({ said }) => said);

/** Let the server answer a request, and wait for all effects and loading. */
async function give(number, found, status = 200) {
  sent[number].resolve(Response.json(found, { status }));
  for (let turn = 0; turn < 5; turn += 1) await doing(() => new Promise((resolve) => setTimeout(resolve)));
}

async function ratedAsBad(comment = "") {
  await rated();
  await click(bad());
  await give(0, { rating: "bad" });
  await give(1, { rating: "bad", reasons: [], comment, doubted: {} });
}

test("the last press is shown and counts while earlier ones are pending", async () => {
  await rated();
  for (let presses = 0; presses < 3; presses += 1) await click(good());
  expect([pressed(), saidSince(0)]).toEqual([[true, false], [{ rating: "good" }]]);
  await give(0, { rating: "good" });
  await give(1, { rating: null });
  expect([pressed(), saidSince(1)]).toEqual([
    [true, false],
    [{ rating: null }, { rating: "good" }],
  ]);
  await give(2, { rating: "good" });
  expect([pressed(), sent.length]).toEqual([[true, false], 3]);
});

test("a failed press is told at its button with another tab's rating", async () => {
  await rated();
  await click(good());
  await tellRating("bad");
  expect(pressed()).toEqual([true, false]);
  await give(0, {}, 503);
  expect([pressed(), good().title, bad().title]).toEqual([[false, true], NOT_KEPT, "Bad answer"]);
  await click(good());
  expect(good().title).toBe("Good answer");
});

test("further typing stays unsaved while earlier text is saved", async () => {
  await ratedAsBad();
  await type(box(), "It was");
  await click(save());
  await type(box(), "It was changed");
  await give(2, { rating: "bad", reasons: [], comment: "It was", doubted: {} });
  expect([box().value, statusOf(), sent[2].said]).toEqual(["It was changed", "", { rating: "bad", comment: "It was" }]);
  await click(save());
  await give(3, {}, 503);
  expect([box().value, statusOf(), alertOf()]).toEqual(["It was changed", "", NOT_KEPT]);
  await click(save());
  await give(4, { rating: "bad", reasons: [], comment: "It was changed", doubted: {} });
  expect([box().value, statusOf(), alertOf()]).toEqual(["It was changed", "Saved.", ""]);
});

test("a failed comment is told after closing and restored on reopening", async () => {
  await ratedAsBad();
  await type(box(), "It was changed");
  await click(save());
  await press(box(), "Escape");
  expect(box()).toBeNull();
  await give(2, {}, 503);
  expect(bad().title).toBe(NOT_KEPT);
  await click(labelled("Add details"));
  await give(3, { rating: "bad", reasons: [], comment: "", doubted: {} });
  expect(box().value).toBe("It was changed");
});

test("a press elsewhere closes the form and keeps its comment", async () => {
  await ratedAsBad();
  await type(box(), "It was changed");
  const pressed = (part) => doing(() => part.dispatchEvent(new Event("pointerdown", { bubbles: true })));
  await pressed(good());
  expect(box().value).toBe("It was changed");
  await pressed(document.body);
  expect(box()).toBeNull();
  await click(labelled("Add details"));
  expect(box().value).toBe("It was changed");
});

test("feedback is disabled until it is loaded", async () => {
  await rated();
  await click(bad());
  await give(0, { rating: "bad" });
  const [wrong] = document.querySelectorAll(".feedback-reason");
  expect([box().readOnly, save().disabled, wrong.disabled]).toEqual([true, true, true]);
  await give(1, { rating: "bad", reasons: ["tone"], comment: "It was", doubted: {} });
  expect([box().readOnly, box().value, save().disabled]).toEqual([false, "It was", false]);
  await click(wrong);
  expect(sent[2].said).toEqual({ rating: "bad", reasons: ["tone", "wrong"] });
  expect(wrong.getAttribute("aria-pressed")).toBe("true");
  await give(2, {}, 503);
  expect([wrong.getAttribute("aria-pressed"), alertOf()]).toEqual(["false", NOT_KEPT]);
});

test("a hanging request delays only its answer's requests", async () => {
  change("/answers/hanging", { rating: "good" });
  change("/answers/hanging", { rating: "bad" });
  const other = change("/answers/other", { rating: "bad" });
  await doing(() => {});
  expect(saidSince(0)).toEqual([{ rating: "good" }, { rating: "bad" }]);
  await give(1, { rating: "bad" });
  expect(await other).toEqual({ rating: "bad" });
});

test("a refusal has the server's words, and a login page the client's", async () => {
  const words = "You have marked 50 citations of this answer, which is the limit. Unmark one first.";
  const kinds = [
    [words, 409, "text/plain; charset=utf-8", words],
    ["<title>Sign in</title>", 429, "text/html", NOT_KEPT],
    ["<title>Sign in</title>", 200, "text/html", NOT_KEPT],
  ];
  for (const [number, [body, status, kind, told]] of kinds.entries()) {
    const doubted = change("/answers/doubted", { doubted: { 0: "" } });
    await doing(() => {});
    sent[number].resolve(new Response(body, { status, headers: { "Content-Type": kind } }));
    await expect(doubted).rejects.toBe(told);
  }
});
