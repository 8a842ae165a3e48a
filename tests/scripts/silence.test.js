// The duration of a backend's silence is shown exactly, and seldom announced.

import { afterEach, beforeEach, expect, jest, spyOn, test } from "bun:test";
import { createElement } from "react";
import { Silence } from "../../chat_ui/page/thread/silence.jsx";
import { leave, mount } from "./mounting.js";
import { doing } from "./rendering.js";

let answer;
let said;

const shown = () => document.querySelector(".silence")?.textContent;

/** The seconds in the server's next response. */
async function count(seconds) {
  answer = () => Response.json({ seconds });
  await doing(() => jest.advanceTimersByTime(5000));
}

beforeEach(async () => {
  const render = await mount();
  spyOn(globalThis, "fetch").mockImplementation(/** @type {any} */ (async () => answer()));
  said = [];
  const region = document.querySelector("#announcements");
  spyOn(region, "append").mockImplementation((...added) => said.push(...added.map(({ textContent }) => textContent)));
  await render(createElement(Silence, { address: "/a" }));
});
afterEach(leave);

test("a silence is shown after 5 s, and announced after 10, 30, 60 s and each minute", async () => {
  await count(4.9);
  expect(shown()).toBeUndefined();
  await count(5.2);
  expect(shown()).toBe("No data for 5 s. Stop keeps the text so far.");
  for (const seconds of [9, 11, 12, 31, 59, 61, 119, 122]) await count(seconds);
  expect(said).toEqual([11, 31, 61, 122].map((seconds) => `No data for ${seconds} seconds.`));
  await count(0.4);
  expect(shown()).toBeUndefined();
  await count(12);
  expect(said.at(-1)).toBe("No data for 12 seconds.");
});

test("an offline page says nothing about the backend", async () => {
  await count(12);
  answer = () => Promise.reject(new TypeError("no network"));
  await doing(() => jest.advanceTimersByTime(5000));
  expect(shown()).toBeUndefined();
  await count(13);
  answer = () => new Response("", { status: 404 });
  await doing(() => jest.advanceTimersByTime(5000));
  expect(shown()).toBeUndefined();
});
