import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { createElement } from "react";
import { ColorModeContext } from "$/utils/context";
import { Command } from "../../chat_ui/page/commands/commands.js";
import { Palette } from "../../chat_ui/features/commands/page/palette.jsx";
import { doing, leave, pathNow, press, render, texts, type } from "./rendering.js";

const LIST = "/api/conversations/";
const SEARCH_AFTER = 200;
const conversation = (title, excerpt) => ({ id: title.replaceAll(" ", "-"), title, excerpt });

let asked;
const onClose = jest.fn();
const setColorMode = jest.fn();

beforeEach(() => {
  asked = [];
  for (const spy of [onClose, setColorMode]) spy.mockClear();
  jest.useFakeTimers();
  globalThis.fetch = /** @type {any} */ (
    (address) => new Promise((resolve) => asked.push({ address, give: (response) => doing(() => resolve(response)) }))
  );
});
afterEach(async () => {
  await leave();
  jest.useRealTimers();
});

const box = () => document.querySelector("[role=combobox]");
const current = () => document.querySelector("[role=option][aria-selected=true]").textContent;
const options = () => texts("[role=option]");
const give = (at, ...conversations) => asked[at].give(Response.json({ conversations }));
const pass = (milliseconds) => doing(() => jest.advanceTimersByTime(milliseconds));
const command = (name, onRun = () => {}) => createElement(Command, { key: name, name, onRun });

async function opened(given = {}, ...others) {
  const props = { address: LIST, pages: "/c", conversation: "", offered: [], selected: "", onClose };
  const palette = createElement(Palette, { ...props, ...given });
  const mode = { rawColorMode: "light", resolvedColorMode: "light", setColorMode };
  await render(createElement(ColorModeContext, { value: mode }, palette), ...others);
  await pass(1);
}

async function search(words) {
  await type(box(), words);
  await pass(SEARCH_AFTER);
}

test("messages are found last, once per conversation, and keep the highlight", async () => {
  await opened();
  await give(0, conversation("Red things"));
  await search("red");
  expect([current(), texts(".palette-message")]).toEqual(["Red things", ["Searching the conversations…"]]);
  await give(1, conversation("Red things", "They are red."), conversation("About lights", "Buoys are red."));
  expect(current()).toBe("Red things");
  expect(options()).toEqual(["Red things", "About lightsBuoys are red."]);
  expect(box().getAttribute("aria-activedescendant")).toBe(document.querySelector("[aria-selected=true]").id);
  await press(box(), "ArrowUp");
  expect(current()).toContain("About lights");
  await press(box(), "Enter");
  expect([pathNow(), onClose.mock.calls.length]).toEqual(["/c/About-lights", 1]);
});

test("late results are below the highlight until the next input", async () => {
  await opened({ conversation: "open" }, command("export-open"));
  await search("export markdown");
  const highlighted = current();
  await give(0, conversation("Export markdown now"));
  expect([current(), options().at(-1)]).toEqual([highlighted, "Export markdown now"]);
  await search("markdown now");
  expect(current()).toBe("Export markdown now");
});

test("a long list is limited", async () => {
  const many = Array.from({ length: 500 }, (_, at) => conversation(`Harbour ${at}`));
  await opened();
  await give(0, ...many);
  expect(texts("[aria-label='Recent conversations'] [role=option]")).toHaveLength(6);
  await search("harbour");
  await give(1, ...many);
  expect(options()).toHaveLength(8 + 20);
});

test("a failed search is told, and local results can be chosen", async () => {
  await opened();
  await search("dark");
  await asked[1].give(new Response("", { status: 422 }));
  expect(texts(".palette-message")[0]).toStartWith("Searching the conversations took too long.");
  await press(box(), "Enter");
  expect(onClose).toHaveBeenCalled();
  await search("bright");
  await asked[2].give(new Response("", { status: 403 }));
  expect(texts(".palette-message")).toEqual(["Conversations cannot be searched at the moment. Try again in a moment."]);
});

test("any input is a search, and an empty result has no choice", async () => {
  await opened();
  await search(" <b>&?q=1#%é ");
  expect(asked[1].address).toBe(`${LIST}?q=%3Cb%3E%26%3Fq%3D1%23%25%C3%A9`);
  await give(1);
  expect([options(), texts(".palette-message")]).toEqual([[], ["No results."]]);
  expect(box().getAttribute("aria-expanded")).toBe("false");
  expect(box().hasAttribute("aria-activedescendant")).toBe(false);
  await press(box(), "Enter");
  await press(box(), "ArrowDown");
  expect(onClose).not.toHaveBeenCalled();
});

test("possible actions are offered", async () => {
  await opened({}, command("stop"), command("new-chat"));
  expect(options()).toContain("Stop the answer");
  expect(options()).not.toContain("Regenerate the last answer");
  expect(options().join()).not.toContain("Export this conversation");
});

test("another backend is found by its name", async () => {
  const offered = [
    ["own:0", "α"],
    ["own:1", "β"],
  ];
  await opened({ offered, selected: "own:0" }, command("backend"));
  expect(texts("[aria-label=Backends] [role=option]")).toEqual(["β"]);
  await search("backend");
  expect(options()).toContain("β");
});

test("arrows wrap, and the opening keys close the palette", async () => {
  await opened();
  const [first, last] = [options()[0], options().at(-1)];
  await press(box(), "ArrowUp");
  expect(current()).toBe(last);
  await press(box(), "ArrowDown");
  expect(current()).toBe(first);
  expect(await press(box(), "x")).toBe(false);
  expect(await press(box(), "k", { ctrlKey: true })).toBe(true);
  expect(onClose).toHaveBeenCalledTimes(1);
});

test("keys of an input method choose nothing", async () => {
  await opened();
  const before = current();
  for (const key of ["ArrowDown", "Enter"]) {
    await press(box(), key, { isComposing: true });
    await press(box(), key, { keyCode: 229 });
  }
  expect([current(), onClose.mock.calls.length]).toEqual([before, 0]);
});

test("a possible command is listed by its label and found by its hints", async () => {
  const words = { name: "vote", label: "Vote", hints: "like thumb", onRun() {} };
  await opened({}, createElement(Command, { key: "vote", ...words }));
  expect(texts("[aria-label='This page'] [role=option]")).toContain("Vote");
  await search("thumb");
  expect(current()).toBe("Vote");
  await leave();
  await opened();
  expect(options()).not.toContain("Vote");
});
