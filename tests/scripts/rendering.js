// Renders components into the page, and does with them what a person does.

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

/** Render elements of React into the page until `leave`; returns what they are in. */
export async function render(...elements) {
  const place = document.body.appendChild(document.createElement("div"));
  const root = createRoot(place);
  roots.push(root);
  await act(async () =>
    root.render(createElement(MemoryRouter, {}, createElement(Theme, {}, createElement(Path), ...elements))),
  );
  return place;
}

/** The path that the page is at. */
export const pathNow = () => path;

/** Do this, and let everything that follows from it happen. */
export const doing = (deed) => act(async () => deed());

/** All that follows from what has happened, without time that goes by. */
export async function settled() {
  for (let turn = 0; turn < 20; turn++) await null;
}

export const click = (element) => doing(() => element.click());

/** Press a key; returns whether the page took it. */
export async function press(element, key, more = {}) {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more });
  // Safari marks the keys of an input method by their code alone.
  if (more.keyCode) Object.defineProperty(event, "keyCode", { value: more.keyCode });
  await doing(() => element.dispatchEvent(event));
  return event.defaultPrevented;
}

/** Type words in place of those in a field. */
export const type = (field, words) =>
  doing(() => {
    // React notes what is set on the element itself.
    Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), "value").set.call(field, words);
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });

/** The texts of all elements that match. */
export const texts = (selector) => [...document.querySelectorAll(selector)].map(({ textContent }) => textContent);

export const labelled = (label) => document.querySelector(`[aria-label="${label}"]`);

/** Take what was rendered from the page; for `afterEach`. */
export async function leave() {
  for (const root of roots.splice(0)) await act(async () => root.unmount());
  /** @type {HTMLElement} */ (document.activeElement).blur();
  document.body.replaceChildren();
}
