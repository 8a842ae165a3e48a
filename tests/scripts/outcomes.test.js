import { expect, test } from "bun:test";
import { ago, inGroups, inWords, moment } from "../../chat_ui/backends/switcher/outcomes.js";

test("a past time is given in its largest unit", () => {
  const said = [0, 59, 60, 3599, 7200, 86400, 5 * 86400].map((past) => ago(1e9 - past, 1e9));
  const days = ["yesterday", "5 days ago"];
  expect(said).toEqual(["just now", "just now", "1 minute ago", "59 minutes ago", "2 hours ago", ...days]);
  expect(ago(1e9 + 5, 1e9)).toBe("just now");
});

test("an outcome has its time, and an unknown one is told", () => {
  const when = (at) => `at ${at}`;
  expect(inWords({ outcome: "flawed", at: 5 }, when)).toBe("Answered with problems at 5");
  expect(inWords({ outcome: null, at: 0 }, when)).toBe("Not asked yet");
  expect(inWords(undefined, when)).toBe("Not asked yet");
});

test("a time of another day has its date", () => {
  expect(moment(new Date(2020, 4, 3, 14, 5).getTime() / 1000)).toMatch(/May.*2020/);
  const here = new Date().getFullYear();
  const other = new Date(here, new Date().getMonth() < 6 ? 11 : 0, 3).getTime() / 1000;
  expect(moment(other)).not.toContain(String(here));
  expect(moment(Date.now() / 1000)).not.toMatch(/[A-Z][a-z]{2,} \d/);
});

test("own backends come after the others, most recent first", () => {
  const offered = [
    ["own:a", "A"],
    ["given:X", "X"],
    ["own:b", "B"],
    ["own:c", "C"],
  ];
  const { given, own } = inGroups(offered, { "own:b": { used_at: 3 }, "own:c": { used_at: 1 } });
  expect(given).toEqual([["given:X", "X"]]);
  expect(own.map(([id]) => id)).toEqual(["own:b", "own:c", "own:a"]);
});
