import { expect, test } from "bun:test";
import { ranked } from "../../chat_ui/features/commands/page/ranking.js";

const found = (typed, ...labels) =>
  ranked(
    labels.map((label) => ({ label })),
    typed,
  ).map(({ label }) => label);

test("matches rank as word, prefix, part and scattered letters", () => {
  const labels = ["Unplanned leave", "Planning for 2027", "Plan", "A plan of the house", "Pelican"];
  const inOrder = ["Plan", "Planning for 2027", "A plan of the house", "Unplanned leave", "Pelican"];
  expect(found("plan", ...labels)).toEqual(inOrder);
  expect(found("vsion", "Vision plan", "Vacations in the second region")).toEqual(["Vision plan"]);
});

test.each([
  ["letters that stand far from each other find nothing", "lst", ["Lighthouses of the Baltic"], []],
  ["letters that are not there find nothing", "xyz", ["Vision plan"], []],
  ["initials find", "bs", ["Backend settings", "Sources of the last answer"], ["Backend settings"]],
  ["words find in any order, all of them", "plan vision", ["Vision plan", "Dental plan"], ["Vision plan"]],
  ["equals keep their order", "plan", ["Plan B", "Plan C", "Plan A"], ["Plan B", "Plan C", "Plan A"]],
  ["marks that make other letters matter", "がく", ["かくの話"], []],
  ["signs are no patterns, one after another", "c++ (", ["C++ (language)", "Cats"], ["C++ (language)"]],
  ["signs are no patterns, in brackets", "[a-z]*", ["Letters"], []],
])("%s", (_words, typed, labels, expected) => expect(found(typed, ...labels)).toEqual(expected));

test.each([
  ["cafe", "Café hours"],
  ["CAFÉ", "cafe hours"],
  ["αθηνα", "Η Αθήνα"],
  ["احمد", "أَحْمَد في العمل"],
  ["ｂｅｎｅｆｉｔｓ", "Benefits"],
  ["育児", "育児休暇について"],
  ["ｶﾌｪ", "カフェの時間"],
])("marks, case and width do not matter, in any script: %s", (typed, label) =>
  expect(found(typed, label)).toEqual([label]),
);

test("a few letters may be missing, and a short word costs its length", () => {
  expect(found("prefernces", "Preferences")).toEqual(["Preferences"]);
  expect(found(`${"a".repeat(40)}b`, `${"a".repeat(150)} ${"c".repeat(40)} b`)).toEqual([]);
});

test("synonyms find a command after exact names", () => {
  const items = [{ label: "Preferences", hints: "settings" }, { label: "Backend settings" }];
  expect(ranked(items, "settings").map(({ label }) => label)).toEqual(["Backend settings", "Preferences"]);
  expect(ranked(items, "preferences settings").map(({ label }) => label)).toEqual(["Preferences"]);
});

test("synonyms are found in any script, with and without diacritics", () => {
  const items = [{ label: "Paramètres", hints: "réglages 設定 إعدادات" }];
  for (const typed of ["reglages", "RÉGLAGES", "設定", "اعدادات", "parametres"])
    expect(ranked(items, typed)).toEqual(items);
});
