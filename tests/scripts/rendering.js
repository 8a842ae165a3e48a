// Renders components, and acts on them as a person does.

import { mock } from "bun:test";
import { Theme } from "@radix-ui/themes";
import { act, createElement } from "react";
import { createRoot } from "react-dom/client";
import { MemoryRouter, useLocation } from "react-router";

const roots = [];
let path = "";

function Path() {
  path = useLocation().pathname;
  return null;
}

/** Render React elements until `leave`. Returns their container. */
export async function render(...elements) {
  const place = document.body.appendChild(document.createElement("div"));
  const root = createRoot(place);
  roots.push(root);
  await act(async () =>
    root.render(createElement(MemoryRouter, {}, createElement(Theme, {}, createElement(Path), ...elements))),
  );
  return place;
}

/** The path of the page. */
export const pathNow = () => path;

/** Do this, and wait for its effects. */
export const doing = (deed) => act(async () => deed());

/** Wait for all effects without advancing the clock. */
export async function settled() {
  for (let turn = 0; turn < 20; turn++) await null;
}

export const click = (element) => doing(() => element.click());

/** Press a key. Returns whether the page handled it. */
export async function press(element, key, more = {}) {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more });
  // Safari marks the keys of an input method only by their code.
  if (more.keyCode) Object.defineProperty(event, "keyCode", { value: more.keyCode });
  await doing(() => element.dispatchEvent(event));
  return event.defaultPrevented;
}

/** Replace the text of a field. */
export const type = (field, words) =>
  doing(() => {
    // React tracks values set on the element.
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value").set.call(field, words);
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });

/** The texts of all elements that match. */
export const texts = (selector) => [...document.querySelectorAll(selector)].map(({ textContent }) => textContent);

export const labelled = (label) => document.querySelector(`[aria-label="${label}"]`);

/** Unmount the rendered elements, and end all spies; for `afterEach`. */
export async function leave() {
  for (const root of roots.splice(0)) await act(async () => root.unmount());
  /** @type {HTMLElement} */ (document.activeElement).blur();
  document.body.replaceChildren();
  mock.restore();
}
