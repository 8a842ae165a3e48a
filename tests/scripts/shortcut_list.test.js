import { afterEach, expect, test } from "bun:test";
import { createElement } from "react";
import { CommandKeys } from "../../chat_ui/components/commands/command_keys.jsx";
import { Command } from "../../chat_ui/components/commands/commands.js";
import { ShortcutList } from "../../chat_ui/components/commands/shortcut_list.jsx";
import { click, labelled, leave, press, render, texts } from "./rendering.js";

const { platform } = navigator;
const on = (name) => Object.defineProperty(navigator, "platform", { value: name, configurable: true });

afterEach(async () => {
  await leave();
  on(platform);
  localStorage.clear();
});

const shown = () => render(createElement(ShortcutList, { key: "list", onClose: () => {} }));
const rowOf = (words) => [...document.querySelectorAll("li")].find(({ textContent }) => textContent.startsWith(words));
const keysOf = (words) => Array.from(rowOf(words).querySelectorAll("kbd"), ({ textContent }) => textContent);
const isOn = (name) => labelled(name).getAttribute("aria-checked") === "true";

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

test("a switch is for one shortcut, and one for all, which come back as they were", async () => {
  await shown();
  await click(labelled("Search and commands"));
  const all = labelled("All shortcuts that have a switch");
  await click(all);
  expect([isOn("Search and commands"), isOn("This list"), labelled("This list").disabled]).toEqual([
    false,
    false,
    true,
  ]);
  await click(all);
  expect([isOn("Search and commands"), isOn("This list"), isOn("New chat")]).toEqual([false, true, false]);
});

test("keys call what is possible, and all other keys are the browser's", async () => {
  const ran = [];
  const command = createElement(Command, { key: "a", name: "present", onRun: () => ran.push("present") });
  await render(createElement(CommandKeys, { key: "keys" }), command);
  expect([await press(document.body, "F2"), await press(document.body, "F3")]).toEqual([true, false]);
  expect(ran).toEqual(["present"]);
  expect(await press(document.body, "?")).toBe(true);
  while (texts("h1").length === 0) await new Promise((resolve) => setTimeout(resolve));
  expect(texts("h1")).toEqual(["Keyboard shortcuts"]);
});
