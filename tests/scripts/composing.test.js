// Keys that an input method needs to compose a word do nothing else, in each field in which they do something.

import { afterEach, beforeEach, expect, jest, test } from "bun:test";
import { createElement } from "react";
import { Entry } from "../../chat_ui/components/conversations/entry.jsx";
import { QuestionText } from "../../chat_ui/components/thread/question_text.jsx";
import { click, labelled, leave, press, render, type } from "./rendering.js";

const COMPOSING = [{ isComposing: true }, { keyCode: 229 }];

afterEach(leave);

beforeEach(() => sessionStorage.clear());

async function compose(field, ...keys) {
  for (const key of keys) for (const more of COMPOSING) expect(await press(field, key, more)).toBe(false);
}

test("in the box of an edited question", async () => {
  const onEdit = jest.fn();
  const turn = { id: "t", conversation: "c", question: "What about buoys?", question_is_cut: false };
  await render(createElement(QuestionText, { key: "question", turn, maxLength: 100, onEdit }));
  await click(labelled("Edit question"));
  const box = labelled("Edited question");
  await type(box, "浮標");
  await compose(box, "Enter", "Escape");
  expect([labelled("Edited question"), onEdit.mock.calls]).toEqual([box, []]);
  await press(box, "Enter", { shiftKey: true });
  expect(onEdit).not.toHaveBeenCalled();
  await press(box, "Enter");
  expect(onEdit.mock.calls).toEqual([["浮標"]]);
  await press(box, "Escape");
  expect(labelled("Edited question")).toBeNull();
  expect(document.activeElement).toBe(labelled("Edit question"));
});

test("in the title of a conversation", async () => {
  sessionStorage.setItem("chat-ui-title", JSON.stringify({ c: "Buo" }));
  const change = jest.fn();
  const entry = { id: "c", title: "Harbour", updated_at: 1 };
  const props = { entry, address: "/c/c", exports: "/", isCurrent: false, onEditing: () => {}, change };
  await render(createElement(Entry, { key: "entry", ...props, onOpen: () => {}, remove: () => {} }));
  const title = labelled("Title");
  expect(title.value).toBe("Buo");
  await type(title, "浮標");
  await compose(title, "Enter", "Escape");
  expect(labelled("Title")).toBe(title);
  await press(title, "Enter");
  expect(change.mock.calls).toEqual([[entry, { title: "浮標" }]]);
  expect(document.activeElement).toBe(labelled("Options of Harbour"));
});
