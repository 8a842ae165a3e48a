// On a phone the list is left by opening a conversation.

import { afterEach, expect, mock, spyOn, test } from "bun:test";
import { createElement } from "react";
import { ConversationList } from "../../chat_ui/components/conversations/conversation_list.jsx";
import { click, leave, pathNow, render } from "./rendering.js";

afterEach(async () => {
  await leave();
  mock.restore();
  sessionStorage.clear();
});

test.each([
  [true, "", 1],
  [false, "yes", 0],
])("opening a conversation leaves the list where it is narrow: %p", async (matches, remembered, closed) => {
  const conversations = [{ id: "a", title: "Buoys", updated_at: 0 }];
  spyOn(globalThis, "matchMedia").mockReturnValue(Object.assign(/** @type {any} */ (new EventTarget()), { matches }));
  spyOn(globalThis, "fetch").mockImplementation(
    /** @type {any} */ (async () => Response.json({ conversations, next: null })),
  );
  sessionStorage.setItem("chat-ui-list", "yes");
  const onClose = mock(() => {});
  await render(createElement(ConversationList, { address: "/list/", feedback: "", pages: "/c", revision: 0, onClose }));
  await click(document.querySelector(".entry a"));
  // A server that hears of the new address before the list is closed hears of this too.
  expect([pathNow(), sessionStorage.getItem("chat-ui-list")]).toEqual(["/c/a", remembered]);
  expect(onClose).toHaveBeenCalledTimes(closed);
});
