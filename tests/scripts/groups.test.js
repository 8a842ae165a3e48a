import { expect, test } from "bun:test";
import { grouped } from "../../chat_ui/components/conversations/groups.js";

const NOW = new Date(2026, 4, 20, 12).getTime();
const at = (...date) => new Date(...date).getTime() / 1000;
const names = (...times) =>
  grouped(
    times.map((updated_at) => ({ updated_at })),
    NOW,
    false,
  ).map(({ name }) => name);

test("conversations are in groups by the day they were changed on", () => {
  const days = [at(2026, 4, 20, 0), at(2026, 4, 19, 23, 59), at(2026, 4, 14), at(2026, 4, 1), at(2026, 2, 3)];
  expect(names(...days)).toEqual(["Today", "Yesterday", "Last 7 days", "Last 30 days", "March 2026"]);
});

test("entries of one group stand together in their order", () => {
  const [first, second] = [{ updated_at: at(2026, 4, 20, 11) }, { updated_at: at(2026, 4, 20, 10) }];
  expect(grouped([first, second], NOW, false)).toEqual([{ name: "Today", entries: [first, second] }]);
});

test("a pinned conversation is among the pinned ones whenever it was changed", () => {
  expect(grouped([{ pinned: true, updated_at: 0 }], NOW, false)[0].name).toBe("Pinned");
});

test("what a search found is one group", () => {
  const entries = [{ pinned: true, updated_at: 0 }, { updated_at: at(2026, 4, 20) }];
  expect(grouped(entries, NOW, true)).toEqual([{ name: "Found", entries }]);
});
