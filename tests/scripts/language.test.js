import { afterAll, beforeAll, expect, test } from "bun:test";
import { dayOf, inARow, rich, t, timeOf, tn } from "../../chat_ui/page/languages/language.js";

const MESSAGES = {
  "Close it now": "Jetzt {what} schließen",
  "1 thing": ["1 Ding", "{count} Dinge"],
  "1 boat": "{count} 隻",
};

beforeAll(() => {
  globalThis.chatUiWords = { messages: MESSAGES, forms: { one: 0, other: 1 } };
});

afterAll(() => {
  delete globalThis.chatUiWords;
});

test("a missing message is English", () => {
  expect(t("Delete {title}", { title: "Buoys" })).toBe("Delete Buoys");
  expect(t("constructor")).toBe("constructor");
  expect([1, 2, 1234].map((count) => tn("1 source", "{count} sources", count))).toEqual([
    "1 source",
    "2 sources",
    "1,234 sources",
  ]);
});

test("messages have the plural form of their count", () => {
  expect(t("Close it now", { what: "das" })).toBe("Jetzt das schließen");
  expect([1, 2].map((count) => tn("1 thing", "{count} things", count))).toEqual(["1 Ding", "2 Dinge"]);
  expect(rich("Close it now", { what: "es" }).props.children).toEqual(["Jetzt ", "es", " schließen"]);
});

test("a language with a single plural form uses it", () => {
  expect([1, 2].map((count) => tn("1 boat", "{count} boats", count))).toEqual(["1 隻", "2 隻"]);
});

test("names are joined with the language's commas", () => {
  expect(inARow(["a.png", "b.png"])).toBe("a.png, b.png");
  MESSAGES["{some}, {more}"] = "{some}、{more}";
  expect(inARow(["a.png"])).toBe("a.png");
  expect(inARow(["a.png", "b.png", "c.png"])).toBe("a.png、b.png、c.png");
});

test("a day and a time have one form in a language, for days that of the server", () => {
  const moment = new Date(2026, 10, 4, 9, 5);
  const { lang: before } = document.documentElement;
  const said = ["en", "de", "ja", "zh-Hans"].map((lang) => {
    document.documentElement.lang = lang;
    return [dayOf(moment), dayOf(moment, false), timeOf(moment)];
  });
  document.documentElement.lang = before;
  expect(said).toEqual([
    ["4 November 2026", "4 November", "09:05"],
    ["4. November 2026", "4. November", "09:05"],
    ["2026年11月4日", "11月4日", "9:05"],
    ["2026年11月4日", "11月4日", "09:05"],
  ]);
});
