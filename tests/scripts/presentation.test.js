import { beforeEach, expect, setSystemTime, test } from "bun:test";
import {
  become,
  begin,
  change,
  end,
  presentation,
  startOver,
  takeScript,
} from "../../chat_ui/features/presenting/page/presentation.js";

const KEPT = "chat-ui-presenting";
const STEPS = [{ question: "Who pays?", open: null, notes: "" }];
const kept = () => JSON.parse(sessionStorage.getItem(KEPT));

beforeEach(() => {
  setSystemTime(new Date(1_000_000));
  end();
  takeScript([], null, false);
  change({ id: "" });
});

test("the time of a showing begins with it, and goes on when it is taken up again", () => {
  expect(presentation().since).toBe(0);
  begin();
  expect(presentation().since).toBe(1_000_000);
  setSystemTime(new Date(2_000_000));
  end();
  begin();
  expect(presentation().since).toBe(1_000_000);
});

test("a script that comes while the page presents begins there and then", () => {
  begin();
  setSystemTime(new Date(3_000_000));
  takeScript(STEPS, null, false);
  expect(presentation().since).toBe(3_000_000);
});

test("to start over forgets the steps that were asked and keeps the script", () => {
  takeScript(STEPS, "a.toml", true);
  begin();
  change({ at: 0, turns: ["t1"], outcomes: [{ first: 1, total: 2, error: "" }] });
  end();
  startOver();
  expect(presentation()).toMatchObject({ at: -1, turns: [], outcomes: [], steps: STEPS, file: "a.toml", since: 0 });
});

test("the browser keeps it for the page that is loaded next, with a name of its own", () => {
  takeScript(STEPS, "a.toml", true);
  begin();
  const { id } = presentation();
  expect(id.length).toBeGreaterThan(16);
  expect(kept()).toMatchObject({ isOn: true, id, steps: STEPS });
  end();
  expect(kept()).toMatchObject({ isOn: false, id });
});

test("a tab that was duplicated keeps the script and is no longer that showing", () => {
  takeScript(STEPS, "a.toml", true);
  begin();
  become();
  expect(presentation()).toMatchObject({ isOn: false, id: "", steps: STEPS, file: "a.toml", at: -1 });
});
