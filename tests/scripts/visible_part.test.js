import { afterEach, beforeEach, expect, test } from "bun:test";
import { createElement } from "react";
import { VisiblePart } from "../../chat_ui/components/shared/visible_part.js";
import { doing, labelled, leave, render } from "./rendering.js";

const HIGH = 844;
const root = document.documentElement;
const part = /** @type {any} */ (new EventTarget());
const { visualViewport } = window;

beforeEach(async () => {
  Object.defineProperty(root, "clientHeight", { value: HIGH, configurable: true });
  Object.assign(part, { height: HIGH, offsetTop: 0, scale: 1 });
  Object.defineProperty(window, "visualViewport", { value: part, configurable: true });
  document.body.innerHTML = '<input aria-label="Field">';
  await render(createElement(VisiblePart, { key: "part" }));
});
afterEach(async () => {
  await leave();
  delete root.clientHeight;
  Object.defineProperty(window, "visualViewport", { value: visualViewport, configurable: true });
});

/** The variables of the stylesheets once this part of the page is in sight. */
async function seen(now) {
  await doing(() => Object.assign(part, now).dispatchEvent(new Event("resize")));
  const of = (name) => root.style.getPropertyValue(name);
  return [root.hasAttribute("data-keyboard"), of("--visible-height"), of("--visible-top"), of("--covered")];
}

const ALL = [false, "", "", ""];

test("a keyboard over the page leaves the part above it, wherever the browser has moved that", async () => {
  labelled("Field").focus();
  expect(await seen({ height: 508, offsetTop: 120 })).toEqual([true, "508px", "120px", "216px"]);
  expect(await seen({ height: HIGH, offsetTop: 0 })).toEqual(ALL);
});

test("two fingers that zoom in are no keyboard, and a keyboard over them is", async () => {
  labelled("Field").focus();
  expect(await seen({ height: HIGH / 2, offsetTop: 200, scale: 2 })).toEqual(ALL);
  expect(await seen({ height: 254, offsetTop: 200, scale: 2 })).toEqual([true, "508px", "0px", "336px"]);
});

test("where nothing is typed in, a smaller part is no keyboard", async () => {
  expect(await seen({ height: 508 })).toEqual(ALL);
});
