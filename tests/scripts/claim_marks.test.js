import { expect, test } from "bun:test";
import { markClaims } from "../../chat_ui/page/thread/claim_marks.js";

const mark = (words) => `<span class="claim-differs">${words}</span>`;

function marked(blocks, grounds) {
  const divs = blocks.map((html) => `<div class="block">${html}</div>`).join("");
  const text = `<div class="answer-text" data-status="complete" data-address="/a">${divs}</div>`;
  document.body.innerHTML = `<div class="answer">${text}${grounds}</div>`;
  const kept = document.querySelector(".claim-differs");
  markClaims("/a");
  return { kept, html: Array.from(document.querySelectorAll(".block"), ({ innerHTML }) => innerHTML) };
}

test("a streamed answer ends with the marks of the complete one, and equal ones stay the same elements", () => {
  const blocks = [`<p>${mark("20")}</p>`, `<p>${mark("30")} days</p>`, "<p>40</p>"];
  const template = (at, words) => `<template data-block="${at}"><p>${mark(words)}</p></template>`;
  const { kept, html } = marked(blocks, `<div class="references"></div>${template(-3, "20")}${template(-1, "40")}`);
  expect(html).toEqual([`<p>${mark("20")}</p>`, "<p>30 days</p>", `<p>${mark("40")}</p>`]);
  expect(kept.isConnected).toBe(true);
});

test("the sources of a growing answer leave its marks", () => {
  expect(marked([`<p>${mark("20")}</p>`], "<ul></ul>").html).toEqual([`<p>${mark("20")}</p>`]);
});
