// The dialog that shares a conversation, with an operator's limit of time.

import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import { createElement } from "react";
import { ShareDialog } from "../../chat_ui/features/sharing/page/share_dialog.jsx";
import { click, doing, leave, render, texts } from "./rendering.js";

const CONTENTS = {
  ...Object.fromEntries(["questions", "sources", "thoughts"].map((part, at) => [part, { count: at, bytes: at * 999 }])),
  backends: [],
  suspects: [],
  found: 0,
  cited: 0,
  missing: 0,
};
let made;

beforeEach(() => {
  made = [];
  spyOn(globalThis, "fetch").mockImplementation(
    /** @type {any} */ (
      async (address, { method, body } = {}) => {
        if (method === "POST") made.push(JSON.parse(body).days);
        if (method === "POST") return Response.json({ id: "a", ends_at: 0 });
        return Response.json(String(address).includes("/contents") ? CONTENTS : { days: [1, 3], readers: "anyone" });
      }
    ),
  );
});
afterEach(leave);

const later = () => doing(() => new Promise((resolve) => setTimeout(resolve)));
const button = (name) => [...document.querySelectorAll("button")].find(({ textContent }) => textContent === name);

test("a link has the operator's limit if it is below the default", async () => {
  const given = { id: "a", title: "Buoys" };
  const focus = spyOn(HTMLElement.prototype, "focus");
  await render(createElement(ShareDialog, { links: "/links/", given, onClose() {}, onLinks() {} }));
  for (let turn = 0; turn < 5; turn += 1) await later();
  expect(focus.mock.contexts.at(-1)).toBe(button("Create link"));
  expect(focus.mock.calls.at(-1)).toEqual([{ preventScroll: true }]);
  expect(texts(".choice-row label")).toEqual(["1 day", "3 days"]);
  expect(texts(".export-size")).toEqual(["0", "1", "2 · 2 kB", "0"]);
  const names = () =>
    [...document.querySelectorAll("button")].map((one) => one.getAttribute("aria-label") ?? one.textContent);
  expect(names()).toEqual(["Shared links", "Cancel", "Create link", "Close"]);
  await click(button("Create link"));
  expect(made).toEqual([3]);
  await later();
  expect(names()).toEqual(["Shared links", "Copy link", "Close"]);
});
