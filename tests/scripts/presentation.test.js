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

test("the time of a presentation begins with it and continues on resuming", () => {
  expect(presentation().since).toBe(0);
  begin();
  expect(presentation().since).toBe(1_000_000);
  setSystemTime(new Date(2_000_000));
  end();
  begin();
  expect(presentation().since).toBe(1_000_000);
});

test("a script loaded during a presentation begins at once", () => {
  begin();
  setSystemTime(new Date(3_000_000));
  takeScript(STEPS, null, false);
  expect(presentation().since).toBe(3_000_000);
});

test("starting over resets the asked steps and keeps the script", () => {
  takeScript(STEPS, "a.toml", true);
  begin();
  change({ at: 0, turns: ["t1"], outcomes: [{ first: 1, total: 2, error: "" }] });
  end();
  startOver();
  expect(presentation()).toMatchObject({ at: -1, turns: [], outcomes: [], steps: STEPS, file: "a.toml", since: 0 });
});

test("a presentation survives a reload with a unique name", () => {
  takeScript(STEPS, "a.toml", true);
  begin();
  const { id } = presentation();
  expect(id.length).toBeGreaterThan(16);
  expect(kept()).toMatchObject({ isOn: true, id, steps: STEPS });
  end();
  expect(kept()).toMatchObject({ isOn: false, id });
});

test("a duplicated tab keeps the script without the presentation", () => {
  takeScript(STEPS, "a.toml", true);
  begin();
  become();
  expect(presentation()).toMatchObject({ isOn: false, id: "", steps: STEPS, file: "a.toml", at: -1 });
});
