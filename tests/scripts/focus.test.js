import { afterEach, beforeEach, expect, test } from "bun:test";
import { createElement } from "react";
import { FocusRestorer, giveDialogFocusBack, leaveFocus, rememberOpener } from "../../chat_ui/page/shared/focus.js";
import { doing, labelled, leave, render } from "./rendering.js";

const composer = '<form class="composer"><textarea aria-label="Message"></textarea></form>';
const button = (name, more = "") => `<button aria-label="${name}"${more}></button>`;

let page;

afterEach(leave);

beforeEach(async () => {
  await render(createElement(FocusRestorer, { key: "keeper" }));
  page = document.body.appendChild(document.createElement("main"));
});

function show(html) {
  page.innerHTML = html + composer;
}

const focused = () => document.activeElement.getAttribute("aria-label") ?? document.activeElement.className;

/** What has the focus once `deed` has taken the element of this label away. */
async function after(label, deed = () => labelled(label).remove()) {
  labelled(label).focus();
  await doing(deed);
  return focused();
}

test("where a button goes away when it is pressed, the next question has the focus", async () => {
  show(button("Stop"));
  expect(await after("Stop")).toBe("Message");
  show(button("Stop"));
  expect(await after("Stop", () => labelled("Stop").setAttribute("disabled", ""))).toBe("Message");
});

test("a button that is rendered anew in its article has the focus, and not its like in another", async () => {
  const article = (name) => `<article data-name="${name}">${button("Edit")}</article>`;
  show(`<div class="thread-content">${article("first")}${article("second")}</div>`);
  const second = () => document.querySelectorAll("article")[1];
  second().firstElementChild.focus();
  await doing(() => second().replaceChildren(second().firstElementChild.cloneNode()));
  expect(document.activeElement).toBe(second().firstElementChild);
});

test("in a pager the nearest button that remains has the focus", async () => {
  show(`<div class="pager">${button("Previous")}${button("Next")}</div>${button("Far")}`);
  expect(await after("Next")).toBe("Previous");
  show(`<aside class="side-panel" tabindex="-1">${button("Unfold")}${button("Other")}</aside>`);
  expect(await after("Unfold")).toBe("side-panel");
});

test("a region that closes gives the focus back to what opened it, rendered anew if need be", async () => {
  show(`${button("Thoughts")}<section class="side-panel" tabindex="-1" aria-label="Panel"></section>`);
  labelled("Thoughts").focus();
  rememberOpener(labelled("Panel"));
  labelled("Panel").focus();
  labelled("Thoughts").replaceWith(labelled("Thoughts").cloneNode());
  await doing(() => labelled("Panel").remove());
  expect(focused()).toBe("Thoughts");
});

test("a dialog whose opener is gone gives the focus to the next question, and none to whoever has one", async () => {
  show(`${button("More")}<div role="dialog" aria-label="Dialog"></div>`);
  const event = { target: labelled("Dialog") };
  labelled("More").focus();
  rememberOpener(event.target);
  labelled("More").blur();
  giveDialogFocusBack(event);
  expect(focused()).toBe("More");
  labelled("Message").focus();
  giveDialogFocusBack(event);
  expect(focused()).toBe("Message");
});

test("a press beside everything takes the focus away, and nothing gives it back later", async () => {
  show(button("Stop"));
  labelled("Stop").focus();
  labelled("Stop").blur();
  await doing(() => new Promise((resolve) => setTimeout(resolve)));
  await doing(() => labelled("Stop").remove());
  expect(document.activeElement).toBe(document.body);
});

test("a menu leaves the focus where its item has put it", () => {
  show(button("Undo"));
  const menu = () => new Event("close", { cancelable: true });
  const [early, late] = [menu(), menu()];
  leaveFocus(early);
  labelled("Undo").focus();
  leaveFocus(late);
  expect([early.defaultPrevented, late.defaultPrevented]).toEqual([false, true]);
});
