import { expect, test } from "bun:test";
import { addWords, inARow, keyOf, rich, t, tn } from "../../chat_ui/components/languages/language.js";

test("a key is the one that the server computes", () => {
  expect(["", "Send", "… 🙂 “a”"].map(keyOf)).toEqual(["HJ1E", "jhQ9", "6p60"]);
});

test("a message whose words are not there is English", () => {
  expect(t("Delete {title}", { title: "Buoys" })).toBe("Delete Buoys");
  expect([1, 2, 1234].map((count) => tn("1 source", "{count} sources", count))).toEqual([
    "1 source",
    "2 sources",
    "1,234 sources",
  ]);
});

test("words that come later are said from then on", () => {
  addWords({
    keys: keyOf("Close it now") + keyOf("1 thing"),
    said: ["Jetzt {what} schließen", ["1 Ding", "{count} Dinge"]],
  });
  expect(t("Close it now", { what: "das" })).toBe("Jetzt das schließen");
  expect(tn("1 thing", "{count} things", 2)).toBe("2 Dinge");
  expect(rich("Close it now", { what: "es" }).props.children).toEqual(["Jetzt ", "es", " schließen"]);
});

test("a language with one form for every count says that", () => {
  addWords({ keys: keyOf("1 boat"), said: ["{count} 隻"] });
  expect([1, 2].map((count) => tn("1 boat", "{count} boats", count))).toEqual(["1 隻", "2 隻"]);
});

test("what is no text is said in English", () => {
  const wrong = [null, [], [null], 5, { a: 1 }, ["{count} Boote", null]];
  addWords({ keys: keyOf("Leave").repeat(wrong.length - 1) + keyOf("1 ship"), said: wrong });
  expect(t("Leave")).toBe("Leave");
  expect(tn("1 ship", "{count} ships", 2)).toBe("2 ships");
});

test("names stand in a row with the commas of the language", () => {
  expect(inARow(["a.png", "b.png"])).toBe("a.png, b.png");
  addWords({ keys: keyOf("{some}, {more}"), said: ["{some}、{more}"] });
  expect(inARow(["a.png"])).toBe("a.png");
  expect(inARow(["a.png", "b.png", "c.png"])).toBe("a.png、b.png、c.png");
});
