import { afterEach, beforeEach, expect, test } from "bun:test";
import { createElement } from "react";
import { FocusRestorer, giveDialogFocusBack, leaveFocus, rememberOpener } from "../../chat_ui/page/shared/focus.js";
import { AskButtons } from "../../chat_ui/page/asking/ask_button.jsx";
import { click, doing, labelled, leave, render, texts } from "./rendering.js";

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

/** The focused element after `deed` has removed the element with this label. */
async function after(label, deed = () => labelled(label).remove()) {
  labelled(label).focus();
  await doing(deed);
  return focused();
}

test("the next question has the focus after a button that vanishes", async () => {
  show(button("Stop"));
  expect(await after("Stop")).toBe("Message");
  show(button("Stop"));
  expect(await after("Stop", () => labelled("Stop").setAttribute("disabled", ""))).toBe("Message");
});

test("a button rendered anew in its article keeps the focus", async () => {
  const article = (name) => `<article data-name="${name}">${button("Edit")}</article>`;
  show(`<div class="thread-content">${article("first")}${article("second")}</div>`);
  const second = () => document.querySelectorAll("article")[1];
  second().firstElementChild.focus();
  await doing(() => second().replaceChildren(second().firstElementChild.cloneNode()));
  expect(document.activeElement).toBe(second().firstElementChild);
});

test("the nearest remaining button of a pager has the focus", async () => {
  show(`<div class="pager">${button("Previous")}${button("Next")}</div>${button("Far")}`);
  expect(await after("Next")).toBe("Previous");
  show(`<aside class="side-panel" tabindex="-1">${button("Unfold")}${button("Other")}</aside>`);
  expect(await after("Unfold")).toBe("side-panel");
});

test("a closed region returns the focus to its opener", async () => {
  show(`${button("Thoughts")}<section class="side-panel" tabindex="-1" aria-label="Panel"></section>`);
  labelled("Thoughts").focus();
  rememberOpener(labelled("Panel"));
  labelled("Panel").focus();
  labelled("Thoughts").replaceWith(labelled("Thoughts").cloneNode());
  await doing(() => labelled("Panel").remove());
  expect(focused()).toBe("Thoughts");
});

test("a button shows the further questions, and the first of them has the focus", async () => {
  const questions = ["One?", "Two?", "Three?", "Four?", "Five?"];
  await render(createElement(AskButtons, { questions, most: 3, language: "" }));
  expect(texts(".chip")).toEqual(["One?", "Two?", "Three?", "+2 more"]);
  await click(document.querySelector(".chip-more"));
  expect(texts(".chip")).toEqual(questions);
  expect(document.activeElement.textContent).toBe("Four?");
});

test("a dialog without its opener moves the focus to the next question", async () => {
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

test("a press on the background removes the focus for good", async () => {
  show(button("Stop"));
  labelled("Stop").focus();
  labelled("Stop").blur();
  await doing(() => new Promise((resolve) => setTimeout(resolve)));
  await doing(() => labelled("Stop").remove());
  expect(document.activeElement).toBe(document.body);
});

test("a menu keeps the focus set by its item", () => {
  show(button("Undo"));
  const menu = () => new Event("close", { cancelable: true });
  const [early, late] = [menu(), menu()];
  leaveFocus(early);
  labelled("Undo").focus();
  leaveFocus(late);
  expect([early.defaultPrevented, late.defaultPrevented]).toEqual([false, true]);
});
