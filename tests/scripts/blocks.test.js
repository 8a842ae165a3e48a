import { expect, test } from "bun:test";
import { StreamingBlock, reconcile } from "../../chat_ui/page/thread/blocks.js";

const element = (html) => {
  const made = document.createElement("div");
  made.innerHTML = html;
  return made;
};

function becomes(from, to) {
  const shown = element(from);
  const before = [...shown.childNodes];
  reconcile(shown, element(to));
  expect(shown.innerHTML).toBe(to);
  return { shown, before };
}

test("equal nodes are kept", () => {
  const { shown, before } = becomes("<p>One.</p><p>Tw</p>", "<p>One.</p><p>Two.</p>");
  expect(shown.firstChild).toBe(before[0]);
});

test("an element with other contents is changed in place", () => {
  const shown = element("<p>Tw</p>");
  const [paragraph, text] = [shown.firstChild, shown.firstChild.firstChild];
  reconcile(shown, element("<p>Two.</p>"));
  expect([shown.firstChild, shown.firstChild.firstChild, text.data]).toEqual([paragraph, text, "Two."]);
});

test.each([
  ["<p>One</p>", "<h2>One</h2>"],
  ['<p class="a">One</p>', '<p class="b">One</p>'],
  ["<p>One</p><p>Two</p>", "<p>One</p>"],
])("%s becomes %s", becomes);

test("a node changed on display is compared as sent", () => {
  const shown = element("<img><p>Tw</p>");
  const image = shown.firstChild;
  image.sentAs = image.cloneNode();
  image.title = "changed";
  reconcile(shown, element("<img><p>Two</p>"));
  expect([shown.firstChild, image.title]).toEqual([image, "changed"]);
});

test("a block keeps its first characters and grows", () => {
  const block = new StreamingBlock(element(""));
  block.change(0, "<p>On");
  block.show();
  block.change(5, "e and two.");
  block.show();
  expect(block.element.innerHTML).toBe("<p>One and two.</p>");
});

test("settled nodes are unchanged and further ones follow inside", () => {
  const block = new StreamingBlock(element(""));
  block.change(0, "<ul><li>One</li></ul>");
  block.settle(1);
  const settled = block.element.querySelector("li");
  block.change(0, "<li>Two");
  block.show();
  expect(block.element.innerHTML).toBe("<ul><li>One</li><li>Two</li></ul>");
  expect(block.element.querySelector("li")).toBe(settled);
});

test("a restarted block drops its settled nodes", () => {
  const block = new StreamingBlock(element(""));
  block.change(0, "<p>One</p>");
  block.settle(0);
  block.change(-1, "<p>Another</p>");
  block.show();
  expect(block.element.innerHTML).toBe("<p>Another</p>");
});
