// The menu More, and the header's buttons, with the entries that features declare.

import { afterEach, expect, test } from "bun:test";
import { Link2 } from "lucide-react";
import { createElement } from "react";
import { ColorModeContext } from "$/utils/context";
import { ConversationTools, MoreMenu } from "../../chat_ui/page/header/more_menu.jsx";
import { useCommand } from "../../chat_ui/page/commands/commands.js";
import { click, leave, press, render, texts } from "./rendering.js";

afterEach(leave);

const done = [];
const Entry = ({ name, ...words }) => {
  useCommand(name, () => done.push(name), words);
  return null;
};
const entry = (name, label, place, more = {}) =>
  createElement(Entry, { key: name, name, entry: label, place, ...more });

async function opened(...entries) {
  const mode = { rawColorMode: "light", resolvedColorMode: "light", setColorMode() {} };
  const menu = createElement(ColorModeContext, { value: mode }, createElement(MoreMenu));
  await render(createElement("header", {}, createElement(ConversationTools), menu), ...entries);
  await press(document.querySelector("[aria-label=More]"), "Enter");
}

const items = () => texts("[role=menu] :is([role=menuitem], [role=menuitemradio], [role=separator])");

test("entries are in groups by their places, each with its keys", async () => {
  await opened(entry("present", "Present", 21), entry("palette", "Search…", 0), entry("share", "Share…", 10));
  const themes = ["Light", "Dark", "System"];
  expect(items()).toEqual(["Search…Ctrl K", "", "Share…", "", "PresentF2", "", ...themes]);
});

test("a missing entry leaves neither a separator nor a button", async () => {
  await opened(entry("present", "Present", 21));
  expect(items()).toEqual(["PresentF2", "", "Light", "Dark", "System"]);
  expect(texts(".conversation-tool")).toEqual([]);
});

test("an entry with a sign has a button too", async () => {
  await opened(entry("share", "Share…", 10, { sign: Link2 }));
  expect(texts(".conversation-tool")).toEqual(["Share"]);
  await click(document.querySelector(".conversation-tool"));
  expect(done).toEqual(["share"]);
});

test("arrows to the sides go through the themes", async () => {
  await opened();
  const [light, dark] = document.querySelectorAll("[role=menuitemradio]");
  /** @type {HTMLElement} */ (light).focus();
  await press(light, "ArrowRight");
  expect(document.activeElement).toBe(dark);
  await press(dark, "ArrowLeft");
  expect(document.activeElement).toBe(light);
});
