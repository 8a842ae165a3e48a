import { afterEach, beforeEach, expect, mock, spyOn, test } from "bun:test";
import { createElement } from "react";
import { CopyButton } from "../../chat_ui/page/shared/copy_button.jsx";
import { click, doing, leave, render } from "./rendering.js";

const write = mock(async ([item]) => {
  for (const type of item.types) await item.getType(type);
});
let fetched;

beforeEach(() => {
  write.mockClear();
  fetched = spyOn(globalThis, "fetch");
  Object.defineProperty(navigator, "clipboard", { value: { write }, configurable: true });
  globalThis.ClipboardItem = /** @type {any} */ (
    class {
      constructor(texts) {
        this.types = Object.keys(texts);
        this.getType = (type) => texts[type];
      }
    }
  );
});
afterEach(leave);

/** The message after a press on the button with this answer of the server. */
async function copied(answer) {
  fetched.mockImplementation(async () => answer());
  const place = await render(
    createElement(CopyButton, { key: "copy", address: "/markdown", rich: "/rich", label: "Copy" }),
  );
  const button = place.querySelector("button");
  await click(button);
  while (!button.dataset.copied && !button.dataset.problem) await doing(() => {});
  return button.dataset.problem ?? "copied";
}

const refused = (status, type, body) => () => new Response(body, { status, headers: { "content-type": type } });

test("a copy and its failures are announced", async () => {
  expect(await copied(() => new Response("Red."))).toBe("copied");
  expect(await copied(refused(404, "text/plain", "No such answer."))).toContain("The server says: No such answer.");
  expect(await copied(refused(502, "text/html", "<h1>Bad gateway</h1>"))).toContain("did not return the text");
  expect(await copied(refused(500, "text/plain", "Internal Server Error"))).toContain("(500)");
  expect(await copied(() => Promise.reject(new TypeError("no line")))).toContain("server cannot be reached");
  write.mockImplementationOnce(() => Promise.reject(new Error("not allowed")));
  expect(await copied(() => new Response("Red."))).toContain("browser blocked copying");
});
