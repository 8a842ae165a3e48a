import { afterEach, expect, test } from "bun:test";
import { createElement } from "react";
import { ShortcutList } from "../../chat_ui/components/commands/shortcut_list.jsx";
import { leave, render } from "./rendering.js";

const { platform } = navigator;
const on = (name) => Object.defineProperty(navigator, "platform", { value: name, configurable: true });

afterEach(async () => {
  await leave();
  on(platform);
});

const shown = () => render(createElement(ShortcutList, { key: "list", onClose: () => {} }));
const rowOf = (words) => [...document.querySelectorAll("li")].find(({ textContent }) => textContent.startsWith(words));
const keysOf = (words) => Array.from(rowOf(words).querySelectorAll("kbd"), ({ textContent }) => textContent);

test("the list names the keys as they stand on the keyboard", async () => {
  on("Win32");
  await shown();
  expect([keysOf("Search and commands"), keysOf("Next citation")]).toEqual([
    ["Ctrl", "K"],
    ["Alt", "↓", "Alt", "↑"],
  ]);
});

test("on Apple's systems the keys are those of their keyboards", async () => {
  on("MacIntel");
  await shown();
  expect([keysOf("Search and commands"), keysOf("Next citation")]).toEqual([
    ["⌘", "K"],
    ["⌥", "↓", "⌥", "↑"],
  ]);
});
