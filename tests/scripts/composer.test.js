// Typed text is kept until it is in the conversation.

import { afterEach, beforeEach, expect, spyOn, test } from "bun:test";
import { Theme } from "@radix-ui/themes";
import { createElement } from "react";
import { EventLoopContext } from "$/utils/context";
import { Composer } from "../../chat_ui/page/asking/composer.jsx";
import { run } from "../../chat_ui/page/commands/commands.js";
import { claim, pending } from "../../chat_ui/page/asking/pending_questions.js";
import { Provide } from "../../chat_ui/page/shared/provided.js";
import { holdUntilSaved } from "../../chat_ui/page/asking/unsaved_questions.js";
import { leave, mount } from "./mounting.js";
import { click, doing, labelled, press, texts, type } from "./rendering.js";

const AT_REST = { busy: false, ready: true, readable: true, conversation: "here", turns: [], findings: {}, pongs: 0 };
const BOUNDS = { maxLength: 40, accepts: ["image/"], mostImages: 2, attachments: "/images", answers: "/answers" };
const NOT_ARRIVED = "This question did not arrive. Send it again.";

let now = 0;
let isConnected;
let entries;
let render;
let values;
let sent;
let lookups;
let pings;

const onSend = (question, images) => sent.push([question, images]);
const onAskAfter = (names) => lookups.push(names);
const onPing = () => pings++;
const connection = [() => (isConnected ? true : undefined), []];

function show(changed = {}) {
  values = { ...values, ...changed };
  const composer = createElement(Composer, { ...BOUNDS, ...values, onSend, onAskAfter, onPing });
  const provided = entries && createElement(Provide, { name: "attach-menu", value: entries });
  const shown = entries ? createElement(Theme, {}, provided, composer) : composer;
  return render(createElement(EventLoopContext, { value: connection }, shown));
}

async function load(address, type = "navigate") {
  render = await mount();
  answerWith(async (asked) => Response.json({ id: asked, media_type: "image/" }));
  // Questions are identified by their times.
  spyOn(Date, "now").mockImplementation(() => ++now);
  window.happyDOM.setURL(`http://localhost${address}`);
  spyOn(performance, "getEntriesByType").mockReturnValue(/** @type {any} */ ([{ type }]));
  await show();
}

const answerWith = (answer) => spyOn(globalThis, "fetch").mockImplementation(answer);
const box = () => document.querySelector("textarea");
const alert = () => document.querySelector("[role=alert]")?.textContent;
const images = () => [...document.querySelectorAll(".attached img")].map(({ alt }) => alt);
const inTurns = (...questions) => questions.map((question, place) => ({ id: String(place), question }));
const waiting = () => pending().map(({ question }) => question);

async function ask(words) {
  await type(box(), words);
  await press(box(), "Enter");
}

async function attach(...names) {
  const files = names.map((name) => new File(["bytes"], name));
  const pasted = Object.assign(new Event("paste", { bubbles: true }), { clipboardData: { files } });
  await doing(() => box().dispatchEvent(pasted));
}

/** Reconnect, and have the server confirm all events if the page asks for that. */
async function reconnect() {
  await show({ ready: false });
  const before = pings;
  await show({ ready: true });
  if (pings > before) await show({ pongs: values.pongs + 1 });
}

beforeEach(async () => {
  sessionStorage.clear();
  localStorage.clear();
  entries = undefined;
  [isConnected, sent, lookups, pings, values] = [true, [], [], 0, AT_REST];
  globalThis.EventSource = /** @type {any} */ (
    class extends EventTarget {
      close() {}
    }
  );
  await load("/");
});
afterEach(leave);

test("a draft survives a reload, and a link's question replaces it once", async () => {
  await type(box(), "How many da");
  await load("/");
  expect(box().value).toBe("How many da");
  await load("/?q=How+many+weeks%3F");
  expect(box().value).toBe("How many weeks?");
  await type(box(), "How many years?");
  await load("/?q=How+many+weeks%3F", "reload");
  expect(box().value).toBe("How many years?");
});

test("a question is sent once with its images by a plain Enter, unless blank or too long", async () => {
  await ask(" \n ");
  await type(box(), "How many");
  await press(box(), "Enter", { shiftKey: true });
  await press(box(), "Enter", { isComposing: true });
  await press(box(), "Enter", { keyCode: 229 });
  await press(box(), "Enter", { repeat: true });
  await ask("x".repeat(41));
  expect(alert()).toBe("This question has 41 characters; at most 40 are allowed. Shorten it, then send it again.");
  expect(sent).toEqual([]);
  await attach("a.png");
  await ask("How many?");
  await press(box(), "Enter");
  expect(sent).toEqual([["How many?", ["/images/?name=a.png"]]]);
  expect([box().value, images(), alert()]).toEqual(["", [], undefined]);
  expect(sessionStorage.getItem("chat-ui-draft")).toBeNull();
});

test("a question during an answer stays in the box with the reason", async () => {
  await show({ busy: true });
  await ask("And then?");
  expect(alert()).toBe("The answer is still being written. Wait until it ends or stop it, then send.");
  await show({ busy: false });
  await show({ busy: true });
  expect([alert(), box().value, sent]).toEqual([undefined, "And then?", []]);
});

test("an undelivered question returns before the text typed since", async () => {
  await attach("a.png");
  await ask("First?");
  await type(box(), "And this.");
  await reconnect();
  expect([box().value, images(), alert(), waiting()]).toEqual(["First?\nAnd this.", ["a.png"], NOT_ARRIVED, []]);
  await ask("Second?");
  await load("/");
  await show({ pongs: values.pongs + 1 });
  expect([box().value, alert()]).toEqual(["Second?", NOT_ARRIVED]);
});

test("a question with a lost confirmation is only in the conversation", async () => {
  await ask("Again?");
  await show({ ready: false });
  await show({ ready: true, turns: inTurns("Again?") });
  await show({ pongs: 1 });
  expect([box().value, alert(), waiting()]).toEqual(["", undefined, []]);
});

test("offline questions wait in order, are sent in turn and can be withdrawn", async () => {
  isConnected = false;
  for (const words of ["First?", "Second?", "Third?"]) await ask(words);
  await type(box(), "And this.");
  await doing(() => run("take-back", pending()[1]));
  await load("/");
  expect([waiting(), box().value, sent]).toEqual([["First?", "Third?"], "Second?\nAnd this.", []]);
  isConnected = true;
  await reconnect();
  expect(sent).toEqual([["First?", []]]);
  await show({ turns: inTurns("First?"), busy: true });
  expect(sent).toHaveLength(1);
  await show({ busy: false });
  expect(sent.map(([words]) => words)).toEqual(["First?", "Third?"]);
});

test("a question that waited in another conversation returns with the reason", async () => {
  await show({ turns: inTurns("Before?") });
  isConnected = false;
  await ask("Here?");
  await show({ conversation: "other", turns: [] });
  expect([box().value, sent, waiting()]).toEqual(["Here?", [], []]);
  expect(alert()).toStartWith("This question was waiting in another conversation.");
});

test("a refused question returns once with its images", async () => {
  await attach("a.png", "b.png");
  await ask("One too many?");
  await type(box(), "And this.");
  await attach("c.png");
  await show({ returned: "One too many?", returnedAs: "1" });
  expect([box().value, images()]).toEqual(["One too many?\nAnd this.", ["a.png", "b.png", "c.png"]]);
  const words = "Attach at most 2 files to a question. Remove 1, then send it.";
  expect(alert()).toBe(words);
  await press(box(), "Enter");
  expect(sent).toHaveLength(1);
  await click(labelled("Remove a.png"));
  expect([images(), alert()]).toEqual([["b.png", "c.png"], undefined]);
  await type(box(), "Else.");
  await load("/", "reload");
  expect(box().value).toBe("Else.");
});

test("a question lost with its server returns with its images", async () => {
  await attach("a.png");
  await ask("Kept?");
  await show({ turns: inTurns("Kept?"), written: false });
  await show({ ready: false });
  await show({ ready: true, turns: [] });
  expect(lookups).toEqual([["here.0"]]);
  await show({ findings: { "here.0": false } });
  expect([box().value, images()]).toEqual(["Kept?", ["a.png"]]);
  expect(alert()).toStartWith("The server stopped before it saved this question.");
  await press(box(), "Enter");
  await show({ turns: inTurns("Kept?"), written: true });
  await reconnect();
  expect(lookups).toHaveLength(1);
});

test("an edit lost with its server returns to the box of its question", async () => {
  holdUntilSaved({ conversation: "here", turn: "1", edited: "0", question: "Kept, really?", images: [] });
  await show({ turns: inTurns("Kept?"), findings: { "here.1": false } });
  expect([box().value, sessionStorage.getItem("chat-ui-edits")]).toEqual(["", '{"0":{"words":"Kept, really?"}}']);
  expect(alert()).toStartWith("The server stopped before it saved this question.");
});

test("a question waiting in two copies of a tab is sent once", async () => {
  isConnected = false;
  await ask("Once?");
  claim(pending()[0].sentAt);
  isConnected = true;
  await reconnect();
  expect([sent, waiting(), box().value]).toEqual([[], [], ""]);
});

test("a refused image and a backend without files are explained", async () => {
  answerWith(async () => new Response("a.png is no image.", { status: 415 }));
  await attach("a.png");
  expect([alert(), images()]).toEqual(["a.png is no image.", []]);
  const page = new Response("<h1>Too large</h1>", { status: 413, headers: { "Content-Type": "text/html" } });
  for (const answer of [() => Promise.reject(new TypeError("no network")), async () => page]) {
    answerWith(answer);
    await attach("b.png");
    expect(alert()).toBe("b.png could not be sent to this page's server. Try again.");
  }
  answerWith(async () => Response.json({ id: "c", media_type: "image/" }));
  await attach("c.png", "d.png", "e.png");
  expect([alert(), images()]).toEqual(["Attach at most 2 files to a question.", ["c.png", "d.png"]]);
  await show({ accepts: [] });
  expect(alert()).toBe("This backend does not take c.png. Remove it, then send the question.");
  await click(labelled("Remove c.png"));
  await click(labelled("Remove d.png"));
  await attach("f.png");
  expect(alert()).toBe("This backend does not take files with a question.");
});

test("a file that the backend does not take is explained before it is sent", async () => {
  const plan = { id: "1", name: "plan.csv", media_type: "text/csv", size: 1234, line: "Name;Days" };
  answerWith(async () => Response.json(plan));
  await attach("plan.csv");
  await show({ accepts: ["image/", "application/pdf"] });
  await ask("How many?");
  expect(alert()).toBe("This backend does not take plan.csv. Remove it, then send the question.");
  expect([sent, labelled("Attach files") !== null]).toEqual([[], true]);
  await show({ accepts: ["image/", "text/"] });
  expect([alert(), texts(".attached-file > *")]).toEqual([undefined, ["", "plan.csv", "1.2 kB", "Name;Days"]]);
  await press(box(), "Enter");
  expect(sent).toEqual([["How many?", ["1"]]]);
});

test("the paper clip has the entries of features in a menu", async () => {
  let opened = 0;
  entries = [{ label: "Your files", onSelect: () => opened++ }];
  await show();
  const items = async () => {
    await press(labelled("Attach files"), "Enter");
    return texts("[role=menuitem]");
  };
  expect(await items()).toEqual(["Attach to this question", "Your files"]);
  await click([...document.querySelectorAll("[role=menuitem]")].at(-1));
  expect(opened).toBe(1);
  await show({ accepts: [] });
  expect(await items()).toEqual(["Your files"]);
});
