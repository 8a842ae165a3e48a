// The failed end of an answer is an alert once for the tab that saw it, and then a note.

import { afterEach, beforeEach, expect, test } from "bun:test";
import { createElement } from "react";
import { Outcome } from "../../chat_ui/page/thread/outcome.jsx";
import { leave, mount } from "./mounting.js";

const GROWING = { id: "1", live: true, error: "", notice: "", status: "running" };
const FAILED = { ...GROWING, live: false, error: "The model is asleep.", status: "failed" };
const words = createElement("p", { key: "words" }, FAILED.error);

let render;

const show = (answer) => render(createElement(Outcome, { answer, className: "outcome" }, words));
const role = () => document.querySelector(".outcome")?.role;

beforeEach(async () => {
  sessionStorage.clear();
  render = await mount();
});
afterEach(leave);

test("a failure is an alert at first, and then a note", async () => {
  await show(FAILED);
  expect(role()).toBe("note");
  await show(GROWING);
  expect(role()).toBeUndefined();
  for (const expected of ["alert", "note"]) {
    render = await mount();
    await show(FAILED);
    expect(role()).toBe(expected);
  }
});

test("each answer has its own alert", async () => {
  await show(GROWING);
  render = await mount();
  await show({ ...FAILED, id: "2" });
  expect(role()).toBe("note");
});

test("a failure behind a sheet is announced once", async () => {
  await show(GROWING);
  document.querySelector(".frame").toggleAttribute("inert", true);
  await show(FAILED);
  expect(document.querySelector("#announcements").textContent).toBe(FAILED.error);
  document.querySelector(".frame").toggleAttribute("inert", false);
  expect(role()).toBe("note");
});
