import { expect, test } from "bun:test";
import { ranked } from "../../chat_ui/components/commands/ranking.js";

const found = (typed, ...labels) =>
  ranked(
    labels.map((label) => ({ label })),
    typed,
  ).map(({ label }) => label);

test("a whole word is before a beginning, that before a part, and letters with others between them last", () => {
  const labels = ["Unplanned leave", "Planning for 2027", "Plan", "A plan of the house", "Pelican"];
  const inOrder = ["Plan", "Planning for 2027", "A plan of the house", "Unplanned leave", "Pelican"];
  expect(found("plan", ...labels)).toEqual(inOrder);
  expect(found("vsion", "Vision plan", "Vacations in the second region")).toEqual(["Vision plan"]);
});

test("letters that stand far from each other find nothing", () => {
  expect(found("lst", "Lighthouses of the Baltic")).toEqual([]);
  expect(found("xyz", "Vision plan")).toEqual([]);
});

test("initials find", () => {
  expect(found("bs", "Backend settings", "Sources of the last answer")).toEqual(["Backend settings"]);
});

test("words find in any order, all of them", () => {
  expect(found("plan vision", "Vision plan", "Dental plan")).toEqual(["Vision plan"]);
});

test("equals keep their order", () => {
  expect(found("plan", "Plan B", "Plan C", "Plan A")).toEqual(["Plan B", "Plan C", "Plan A"]);
});

test("marks, case and width do not matter, in any script", () => {
  expect(found("cafe", "Café hours")).toEqual(["Café hours"]);
  expect(found("CAFÉ", "cafe hours")).toEqual(["cafe hours"]);
  expect(found("αθηνα", "Η Αθήνα")).toEqual(["Η Αθήνα"]);
  expect(found("احمد", "أَحْمَد في العمل")).toEqual(["أَحْمَد في العمل"]);
  expect(found("ｂｅｎｅｆｉｔｓ", "Benefits")).toEqual(["Benefits"]);
  expect(found("育児", "育児休暇について")).toEqual(["育児休暇について"]);
  expect(found("ｶﾌｪ", "カフェの時間")).toEqual(["カフェの時間"]);
});

test("marks that make other letters matter", () => {
  expect(found("がく", "かくの話")).toEqual([]);
});

test("a few letters may be missing, and a word of one letter costs no more than its length", () => {
  expect(found("prefernces", "Preferences")).toEqual(["Preferences"]);
  expect(found(`${"a".repeat(40)}b`, `${"a".repeat(150)} ${"c".repeat(40)} b`)).toEqual([]);
});

test("signs are no patterns", () => {
  expect(found("c++ (", "C++ (language)", "Cats")).toEqual(["C++ (language)"]);
  expect(found("[a-z]*", "Letters")).toEqual([]);
});

test("other words for a command find it, behind what is called so", () => {
  const items = [{ label: "Preferences", hints: "settings" }, { label: "Backend settings" }];
  expect(ranked(items, "settings").map(({ label }) => label)).toEqual(["Backend settings", "Preferences"]);
  expect(ranked(items, "preferences settings").map(({ label }) => label)).toEqual(["Preferences"]);
});

test("the other words for a command are found in any script, with and without marks", () => {
  const items = [{ label: "Paramètres", hints: "réglages 設定 إعدادات" }];
  for (const typed of ["reglages", "RÉGLAGES", "設定", "اعدادات", "parametres"])
    expect(ranked(items, typed)).toEqual(items);
});
