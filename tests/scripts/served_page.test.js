// The server's current page, and reloads of an older one.

import { afterAll, beforeEach, expect, spyOn, test } from "bun:test";
import { FOREIGN, loadAnew, servedBuild } from "../../chat_ui/page/connection/served_page.js";

const { fetch: own } = globalThis;
const reload = spyOn(window.location, "reload").mockImplementation(() => {});

beforeEach(() => {
  document.body.innerHTML = "";
  sessionStorage.clear();
  reload.mockClear();
});

afterAll(() => {
  globalThis.fetch = own;
  reload.mockRestore();
});

const page = (body, status = 200) => new Response(body, { status });

test("a substitute for the page is told from an absent server", async () => {
  const redirect = Object.assign(page(""), {});
  Object.defineProperty(redirect, "type", { value: "opaqueredirect" });
  Object.defineProperty(redirect, "ok", { value: false });
  const answers = [
    [page('<link href="/assets/manifest-a1b2.js">'), "/manifest-a1b2.js"],
    [page('<link href="/assets/manifest-a1b2.js">', 404), "/manifest-a1b2.js"],
    [page("<title>Sign in</title>"), FOREIGN],
    [redirect, FOREIGN],
    [page("", 401), FOREIGN],
    [page("Forbidden", 403), FOREIGN],
    [page("", 404), ""],
    [page("", 429), ""],
    [page("", 503), ""],
    [new TypeError("there is no network"), ""],
  ];
  for (const [answer, found] of answers) {
    globalThis.fetch = async () => {
      if (answer instanceof Error) throw answer;
      return answer;
    };
    expect([answer, await servedBuild()]).toEqual([answer, found]);
  }
});

test("a page reloads once per version, also for two alternating ones", () => {
  expect(["/manifest-a.js", "/manifest-b.js", "/manifest-a.js", "/manifest-b.js"].map(loadAnew)).toEqual([
    true,
    true,
    false,
    false,
  ]);
  expect(reload).toHaveBeenCalledTimes(2);
});

test("a page in use is not reloaded", () => {
  const uses = [
    "<textarea>Half typ</textarea>",
    '<input type="text" value="a name">',
    "<div role=dialog></div>",
    "<div role=alertdialog></div>",
    "<div role=menu></div>",
    "<section class=stage></section>",
    "<section class=side-panel></section>",
    "<ul class=attached></ul>",
    "<article data-answering=true></article>",
    "<article data-reading></article>",
    "<button class=dictate aria-pressed=true></button>",
  ];
  const isKept = (html) => {
    document.body.innerHTML = html;
    return !loadAnew("/manifest-a.js");
  };
  expect(uses.filter((html) => !isKept(html))).toEqual([]);
  document.body.innerHTML = "<p>Some words</p>";
  getSelection().selectAllChildren(document.body.firstChild);
  expect(loadAnew("/manifest-a.js")).toBe(false);
  getSelection().removeAllRanges();
  expect(isKept("<textarea> </textarea><input type=checkbox value=a checked><article data-answering=false>")).toBe(
    false,
  );
});
