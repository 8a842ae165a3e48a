// The list of conversations: its groups, its entries, and messages of an import.

import { afterEach, expect, jest, mock, spyOn, test } from "bun:test";
import { createElement } from "react";
import { importWords } from "../../chat_ui/page/conversations/archive.jsx";
import { ConversationList } from "../../chat_ui/page/conversations/conversation_list.jsx";
import { Entry } from "../../chat_ui/page/conversations/entry.jsx";
import { grouped } from "../../chat_ui/page/conversations/groups.js";
import { click, labelled, leave, pathNow, press, render, type } from "./rendering.js";

const NOW = new Date(2026, 4, 20, 12).getTime();
const at = (...date) => new Date(...date).getTime() / 1000;
const names = (...times) =>
  grouped(
    times.map((updated_at) => ({ updated_at })),
    NOW,
    false,
  ).map(({ name }) => name);

const told = (imported, refused, refusals) => importWords(Response.json({ imported, refused, refusals }));

afterEach(async () => {
  await leave();
  sessionStorage.clear();
});

test("conversations are in groups by the day they were changed on", () => {
  const days = [at(2026, 4, 20, 0), at(2026, 4, 19, 23, 59), at(2026, 4, 14), at(2026, 4, 1), at(2026, 2, 3)];
  expect(names(...days)).toEqual(["Today", "Yesterday", "Last 7 days", "Last 30 days", "March 2026"]);
});

test("entries of a group are together in their order", () => {
  const [first, second] = [{ updated_at: at(2026, 4, 20, 11) }, { updated_at: at(2026, 4, 20, 10) }];
  expect(grouped([first, second], NOW, false)).toEqual([{ name: "Today", entries: [first, second] }]);
});

test("a pinned conversation is among the pinned ones whenever it was changed", () => {
  expect(grouped([{ pinned: true, updated_at: 0 }], NOW, false)[0].name).toBe("Pinned");
});

test("search results are one group", () => {
  const entries = [{ pinned: true, updated_at: 0 }, { updated_at: at(2026, 4, 20) }];
  expect(grouped(entries, NOW, true)).toEqual([{ name: "Found", entries }]);
});

test.each([
  [true, "", 1],
  [false, "yes", 0],
])("opening a conversation leaves the list where it is narrow: %p", async (matches, remembered, closed) => {
  const conversations = [{ id: "a", title: "Buoys", updated_at: 0 }];
  spyOn(globalThis, "matchMedia").mockReturnValue(Object.assign(/** @type {any} */ (new EventTarget()), { matches }));
  spyOn(globalThis, "fetch").mockImplementation(
    /** @type {any} */ (async () => Response.json({ conversations, next: null })),
  );
  sessionStorage.setItem("chat-ui-list", "yes");
  const onClose = mock(() => {});
  await render(createElement(ConversationList, { address: "/list/", feedback: "", pages: "/c", revision: 0, onClose }));
  await click(document.querySelector(".entry a"));
  // The server gets the new address before the list closes.
  expect([pathNow(), sessionStorage.getItem("chat-ui-list")]).toEqual(["/c/a", remembered]);
  expect(onClose).toHaveBeenCalledTimes(closed);
});

test("keys of an input method only compose in the title of a conversation", async () => {
  sessionStorage.setItem("chat-ui-title", JSON.stringify({ c: "Buo" }));
  const change = jest.fn();
  const entry = { id: "c", title: "Harbour", updated_at: 1 };
  const props = { entry, address: "/c/c", exports: "/", isCurrent: false, onEditing: () => {}, change };
  await render(createElement(Entry, { key: "entry", ...props, onOpen: () => {}, remove: () => {} }));
  const title = labelled("Title");
  expect(title.value).toBe("Buo");
  await type(title, "浮標");
  for (const key of ["Enter", "Escape"])
    for (const more of [{ isComposing: true }, { keyCode: 229 }]) expect(await press(title, key, more)).toBe(false);
  expect(labelled("Title")).toBe(title);
  await press(title, "Enter");
  expect(change.mock.calls).toEqual([[entry, { title: "浮標" }]]);
  expect(document.activeElement).toBe(labelled("Options of Harbour"));
});

test("the number of imported conversations is told", async () => {
  expect([await told(1, 0, []), await told(2, 0, [])]).toEqual([
    "Imported 1 conversation.",
    "Imported 2 conversations.",
  ]);
});

test("each refusal is told with its reason, with a count of further ones", async () => {
  const words = await told(0, 3, [{ where: "entry 1", why: "it is not JSON" }]);
  expect(words).toBe("Imported 0 conversations.\nRefused entry 1: it is not JSON.\nAnd 2 more were refused.");
});

test("the server's message is shown if it has one", async () => {
  const response = new Response("There is no room.", { status: 507, headers: { "Content-Type": "text/plain" } });
  expect(await importWords(response)).toBe("There is no room.");
});

test("a proxy's limit of size is explained", async () => {
  const response = new Response("<h1>413</h1>", { status: 413, headers: { "Content-Type": "text/html" } });
  expect(await importWords(response)).toStartWith("The file is too large");
});
