import { afterEach, expect, test } from "bun:test";
import { createElement } from "react";
import { ShortcutList } from "../../chat_ui/features/commands/page/shortcut_list.jsx";
import { KEPT, SHORTCUTS, calledBy, isOn, kept, matches } from "../../chat_ui/page/commands/shortcuts.js";
import { leave, render, texts } from "./rendering.js";

const { platform } = navigator;
const keep = (name, isWanted) => localStorage.setItem(KEPT, JSON.stringify({ ...kept(), [name]: isWanted }));
const on = (name) => Object.defineProperty(navigator, "platform", { value: name, configurable: true });

afterEach(async () => {
  await leave();
  on(platform);
  localStorage.clear();
});

function press(key, { code = "", isAltGr = false, into = "", ...rest } = {}) {
  document.body.insertAdjacentHTML("beforeend", into);
  const target = document.body.lastElementChild ?? document.body;
  const event = {
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    shiftKey: false,
    isComposing: false,
    keyCode: 0,
    ...{ key, code, target, ...rest },
    getModifierState: (name) => name === "AltGraph" && isAltGr,
  };
  return calledBy(/** @type {any} */ (event));
}

test("the palette is Ctrl + K, and on Apple's keyboards ⌘ + K, where Ctrl + K cuts a line", () => {
  on("Win32");
  expect(press("k", { ctrlKey: true })).toBe("palette");
  expect(press("k", { metaKey: true })).toBeUndefined();
  on("MacIntel");
  expect(press("k", { metaKey: true })).toBe("palette");
  expect(press("k", { ctrlKey: true })).toBeUndefined();
});

test("a letter counts as typed, or by its key in layouts without it", () => {
  expect(press("k", { ctrlKey: true, code: "KeyV" })).toBe("palette");
  expect(press("t", { ctrlKey: true, code: "KeyK" })).toBeUndefined();
  expect(press("л", { ctrlKey: true, code: "KeyK" })).toBe("palette");
  expect(press("の", { ctrlKey: true, code: "KeyK" })).toBe("palette");
  expect(press("K", { ctrlKey: true })).toBe("palette");
});

test("AltGr, which is Ctrl + Alt on Windows, triggers nothing", () => {
  expect(press("k", { ctrlKey: true, altKey: true })).toBeUndefined();
  expect(press("k", { ctrlKey: true, isAltGr: true })).toBeUndefined();
  expect(press("ĸ", { ctrlKey: true, altKey: true, isAltGr: true, code: "KeyK" })).toBeUndefined();
});

test("a question mark counts on any key, with or without Shift", () => {
  expect(press("?", { shiftKey: true, code: "Slash" })).toBe("shortcuts");
  expect(press("?", { shiftKey: true, code: "Minus" })).toBe("shortcuts");
  expect(press("?", { code: "KeyM" })).toBe("shortcuts");
  expect(press("?", { ctrlKey: true, shiftKey: true })).toBeUndefined();
});

test("a question mark in a field is text", () => {
  for (const field of ["<input>", "<textarea></textarea>", "<select></select>", "<p contenteditable></p>"])
    expect(press("?", { into: field })).toBeUndefined();
  expect(press("k", { ctrlKey: true, into: "<textarea></textarea>" })).toBe("palette");
});

test("composing and repeated keys trigger nothing", () => {
  expect(press("k", { ctrlKey: true, isComposing: true })).toBeUndefined();
  expect(press("k", { ctrlKey: true, keyCode: 229 })).toBeUndefined();
  expect(press("k", { ctrlKey: true, repeat: true })).toBeUndefined();
  expect(press("k", { ctrlKey: true, defaultPrevented: true })).toBeUndefined();
});

test("keys work beside Thoughts, but not beside an open dialog or menu", () => {
  for (const open of ['<div role="dialog" data-state="open"></div>', '<div role="menu"></div>']) {
    document.body.innerHTML = open;
    expect(press("k", { ctrlKey: true })).toBeUndefined();
  }
  document.body.innerHTML = '<section role="dialog"></section>';
  expect(press("k", { ctrlKey: true })).toBe("palette");
});

test("keys that browsers use are off by default", () => {
  expect(press("O", { ctrlKey: true, shiftKey: true })).toBeUndefined();
  expect(press("Escape", { shiftKey: true })).toBeUndefined();
  keep("new-chat", true);
  keep("message", true);
  expect(press("O", { ctrlKey: true, shiftKey: true })).toBe("new-chat");
  expect(press("Escape", { shiftKey: true })).toBe("message");
  expect(press("Escape")).toBeUndefined();
});

test("keys are disabled one by one or together, and restored", () => {
  keep("palette", false);
  expect([isOn("palette"), isOn("shortcuts"), isOn("citations")]).toEqual([false, true, true]);
  keep("all", false);
  expect([isOn("palette"), isOn("shortcuts"), isOn("citations")]).toEqual([false, false, false]);
  keep("all", true);
  expect([isOn("palette"), isOn("shortcuts")]).toEqual([false, true]);
});

test("an unknown stored choice is ignored", () => {
  for (const kept of ["", "{", "null", "7", '"text"', "[]"]) {
    localStorage.setItem("chat-ui-shortcuts", kept);
    expect(isOn("palette")).toBe(true);
  }
});

test("each key calls one command", () => {
  const events = Object.values(SHORTCUTS).map(({ key, command = false, shift = false }) => ({
    ...{ key, ctrlKey: command, shiftKey: shift, metaKey: false, altKey: false },
    getModifierState: () => false,
  }));
  on("Win32");
  for (const event of events)
    expect(Object.values(SHORTCUTS).filter((one) => matches(/** @type {any} */ (event), one))).toHaveLength(1);
});

test.each([
  ["Win32", "Ctrl", "Alt"],
  ["MacIntel", "⌘", "⌥"],
])("the list names the keys as they stand on the keyboard of %s", async (platform, command, alt) => {
  on(platform);
  await render(createElement(ShortcutList, { key: "list", onClose: () => {} }));
  const row = (words) => texts("li").find((text) => text.startsWith(words));
  expect(row("Search and commands")).toContain(`${command}K`);
  expect(row("Next or previous citation")).toEndWith(`${alt}↓ or ${alt}↑`);
});
