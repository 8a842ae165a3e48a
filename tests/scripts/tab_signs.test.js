import { afterEach, expect, test } from "bun:test";
import { createElement, useEffect, useState } from "react";
import { TabSigns } from "../../chat_ui/page/thread/tab_signs.js";
import { doing, leave, render } from "./rendering.js";

afterEach(leave);

let change;

function Answer() {
  const [props, setProps] = useState({ answer: "/a", live: true, status: "" });
  useEffect(() => {
    change = (others) => doing(() => setProps((former) => ({ ...former, ...others })));
  }, []);
  return createElement(TabSigns, props);
}

const hide = (isHidden) =>
  doing(() => {
    Object.defineProperty(document, "hidden", { value: isHidden, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  });

test("the title announces an answer to an absent reader until they return", async () => {
  document.title = "Colour? – Chat";
  await render(createElement(Answer, { key: "answer" }));
  await hide(true);
  await change({ live: false, status: "finished" });
  expect(document.title).toBe("Answered: Colour? – Chat");
  await doing(() => {
    document.title = "Another name – Chat";
  });
  expect(document.title).toBe("Answered: Another name – Chat");
  await hide(false);
  expect(document.title).toBe("Another name – Chat");
});

test("the title stays for a present reader, a failure and another answer", async () => {
  for (const [isHidden, end] of [
    [false, { status: "finished" }],
    [true, { status: "failed" }],
    [true, { status: "finished", answer: "/b" }],
  ]) {
    document.title = "Chat";
    await render(createElement(Answer, { key: "answer" }));
    await hide(isHidden);
    await change({ live: false, ...end });
    expect(document.title).toBe("Chat");
  }
  await hide(false);
});
