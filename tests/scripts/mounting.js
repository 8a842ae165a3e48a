// Mounts a component in an empty page, with a mouse and reduced motion.

import { jest, mock, spyOn } from "bun:test";
import { createElement } from "react";
import { createRoot } from "react-dom/client";
import { Announcer } from "../../chat_ui/page/announcing/announcer.jsx";
import { doing } from "./rendering.js";

const roots = [];

/** Unmount the component after all announcements; for `afterEach`. */
export async function leave() {
  if (roots.length === 0) return;
  jest.advanceTimersByTime(60_000);
  for (const root of roots.splice(0)) await doing(() => root.unmount());
  jest.useRealTimers();
  mock.restore();
}

/** A new page on a test clock. Returns the function that renders a component there. */
export async function mount() {
  await leave();
  jest.useFakeTimers();
  spyOn(globalThis, "matchMedia").mockReturnValue(/** @type {any} */ ({ matches: true }));
  document.body.innerHTML = '<div></div><div class="frame"><div></div></div>';
  roots.push(...[...document.querySelectorAll("body > :first-child, .frame > div")].map((place) => createRoot(place)));
  await doing(() => roots[0].render(createElement(Announcer)));
  jest.advanceTimersByTime(60_000);
  return (shown) => doing(() => roots[1].render(shown));
}
