// The script that embeds the chat in a page of another site.

import { afterAll, beforeEach, expect, spyOn, test } from "bun:test";
import { readFileSync } from "node:fs";

const SCRIPT = readFileSync(`${import.meta.dir}/../../chat_ui/features/embedding/embed.js`, "utf8");
const CHAT = {
  title: "Ask",
  ground: "#000",
  drawn: "#fff",
  open: "Open",
  close: "Close",
  refusal: "No.",
  alone: "Tab",
};
const ORIGIN = "https://chat.test";
const NAME = `chat-ui ${ORIGIN}`;

/** Messages to the frame. */
let told;
let frameWindow;

/** @type {any} */
const own = window;
const { contentWindow } = Object.getOwnPropertyDescriptors(HTMLIFrameElement.prototype);
// Frames cannot load, which is logged.
const complaints = spyOn(console, "error").mockImplementation(() => {});
const listening = spyOn(window, "addEventListener");

/** Remove the embedded chat. */
function leave() {
  for (const [type, listener] of listening.mock.calls.splice(0))
    if (type === "message") window.removeEventListener(type, listener);
  document.querySelector("html > div")?.remove();
  document.body.replaceChildren();
}

function embed(attributes = "async", settings = {}) {
  leave();
  document.body.innerHTML = `<script ${attributes} src="${ORIGIN}/embed.js"></script>`;
  const script = document.querySelector("script");
  Object.assign(script.dataset, settings);
  const current = attributes === "async" ? script : null;
  Object.defineProperty(document, "currentScript", { value: current, configurable: true });
  delete own.chatUI;
  new Function("CHAT", SCRIPT)(CHAT);
  return document.documentElement.lastElementChild?.shadowRoot;
}

function say(data, origin = ORIGIN, source = frameWindow) {
  window.dispatchEvent(Object.assign(new Event("message"), { data, origin, source }));
}

/** Open the panel, whose frame does not load here. */
function opened(root) {
  own.chatUI.open();
  return root.querySelector("iframe");
}

beforeEach(() => {
  localStorage.clear();
  sessionStorage.clear();
  told = [];
  frameWindow = { postMessage: (message, target) => told.push([message.type, message.question, target]) };
  Object.defineProperty(HTMLIFrameElement.prototype, "contentWindow", { get: () => frameWindow, configurable: true });
});

afterAll(() => {
  complaints.mockRestore();
  Object.defineProperty(HTMLIFrameElement.prototype, "contentWindow", contentWindow);
  leave();
  listening.mockRestore();
});

test("the frame loads when the panel opens, also with a module script", () => {
  for (const attributes of ["async", 'type="module"']) {
    const root = embed(attributes, { backend: "Hand book" });
    expect(root.querySelector("iframe")).toBeNull();
    expect(opened(root).src).toBe(`${ORIGIN}/?backend=Hand%20book`);
    expect(root.querySelector("button").getAttribute("aria-expanded")).toBe("true");
    own.chatUI.close();
    expect([root.querySelector("[role=dialog]").hidden, sessionStorage.getItem(NAME)]).toEqual([true, ""]);
  }
});

test("the host's commands wait for the frame, and only strings are questions", () => {
  const root = embed();
  for (const question of [() => {}, null, 7, "Which colour?"]) own.chatUI.ask(question);
  own.chatUI.colorScheme("dark");
  root.querySelector("iframe").dispatchEvent(new Event("load"));
  expect(told).toEqual([["chat-ui:hello", undefined, ORIGIN]]);
  say({ type: "chat-ui:ready" });
  expect(told.slice(1)).toEqual([
    ["chat-ui:ask", "Which colour?", ORIGIN],
    ["chat-ui:color-scheme", undefined, ORIGIN],
  ]);
});

test("only messages of the framed chat are handled", () => {
  const heard = [];
  window.addEventListener("chat-ui:answer", /** @param {any} event */ ({ detail }) => heard.push(detail));
  const root = embed();
  opened(root);
  const all = ["conversation", "answer", "close"].map((type) => ({
    type: `chat-ui:${type}`,
    path: "/c/a",
    sources: 1,
  }));
  for (const message of all) {
    say(message, "https://other.test");
    say(message, ORIGIN, {});
  }
  expect([heard, localStorage.getItem(NAME), root.querySelector("[role=dialog]").hidden]).toEqual([[], null, false]);
  for (const message of all) say({ ...message, complete: true });
  expect([heard, localStorage.getItem(NAME), root.querySelector("[role=dialog]").hidden]).toEqual([
    [{ complete: true, sources: 1 }],
    "/c/a",
    true,
  ]);
  expect(opened(embed()).src).toBe(`${ORIGIN}/c/a`);
  localStorage.setItem(NAME, "//elsewhere.test/c/a");
  expect(opened(embed()).src).toBe(`${ORIGIN}/`);
});
