import { expect, test } from "bun:test";
import { covers, Host } from "../../chat_ui/features/embedding/page/host.js";

const PARENT = "https://www.example.com";

/** A window in a frame, its host page, and the messages to the host. */
function framed() {
  const heard = [];
  const parent = { postMessage: (message, target) => heard.push([message, target]) };
  const own = Object.assign(new EventTarget(), { parent, location: { origin: "https://chat.example" } });
  const host = new Host(own, [PARENT], 10);
  const say = (data, origin = PARENT, source = parent) =>
    own.dispatchEvent(Object.assign(new Event("message"), { data, origin, source }));
  const done = [];
  const acts = {
    ask: (question) => done.push(["ask", question]),
    colorScheme: (scheme) => done.push(["colorScheme", scheme]),
    focus: () => done.push(["focus"]),
  };
  return { own, host, say, heard, done, acts };
}

test.each([
  ["https://www.example.com", PARENT, true],
  ["https://WWW.example.com:443/", PARENT, true],
  ["https://*.example.com", PARENT, true],
  ["https://*.example.com:8443", "https://a.b.example.com:8443", true],
  ["http://www.example.com", PARENT, true],
  ["http://*.example.com", PARENT, true],
  ["'self'", "https://chat.example", true],
  ["*", PARENT, true],
  ["https://*.example.com", "https://example.com", false],
  ["https://*.example.com", "https://badexample.com", false],
  ["https://*.example.com", "https://www.example.com:8443", false],
  ["https://*.example.com", "http://www.example.com", false],
  ["https://www.example.com", "https://www.example.com.elsewhere.test", false],
  ["https:", PARENT, false],
  ["https://www.example.com", "null", false],
])("whether %s covers %s: %p", (source, origin, expected) => {
  expect(covers([source], origin, "https://chat.example")).toBe(expected);
});

test("the host gets the conversation only after its hello", () => {
  const { host, say, heard } = framed();
  host.tellConversation("/c/one");
  host.tellAnswer(true, 2);
  expect(heard).toEqual([]);
  say({ type: "chat-ui:hello" });
  host.tellAnswer(false, 0);
  expect(heard).toEqual([
    [{ type: "chat-ui:ready" }, PARENT],
    [{ type: "chat-ui:conversation", path: "/c/one" }, PARENT],
    [{ type: "chat-ui:answer", complete: false, sources: 0 }, PARENT],
  ]);
});

test("early commands are handled in order once the page is alive", () => {
  const { host, say, done, acts } = framed();
  say({ type: "chat-ui:color-scheme", scheme: "dark" });
  say({ type: "chat-ui:ask", question: "Who?" });
  const forget = host.hear(acts);
  forget();
  say({ type: "chat-ui:ask", question: "Where?" });
  expect(done).toEqual([
    ["colorScheme", "dark"],
    ["ask", "Who?"],
  ]);
  host.hear(acts);
  expect(done.at(-1)).toEqual(["ask", "Where?"]);
  say({ type: "chat-ui:focus" });
  expect(done.at(-1)).toEqual(["focus"]);
});

test.each([
  null,
  "chat-ui:ask",
  { type: "chat-ui:sing" },
  { type: "chat-ui:ask" },
  { type: "chat-ui:ask", question: " " },
  { type: "chat-ui:ask", question: ["Who?"] },
  { type: "chat-ui:ask", question: "eleven char" },
  { type: "chat-ui:color-scheme", scheme: "pink" },
  { type: "chat-ui:color-scheme", scheme: ["dark"] },
])("%p is ignored", (data) => {
  const { host, say, done, acts } = framed();
  host.hear(acts);
  say(data);
  expect(done).toEqual([]);
});

test("messages of other origins and windows are ignored", () => {
  const { host, say, done, acts, heard } = framed();
  host.hear(acts);
  for (const type of ["chat-ui:hello", "chat-ui:ask"]) {
    say({ type, question: "Who?" }, "https://elsewhere.test");
    say({ type, question: "Who?" }, PARENT, {});
  }
  expect([done, heard]).toEqual([[], []]);
});

test("Escape closes the host's panel unless the page handles it", () => {
  const { own, say, heard } = framed();
  say({ type: "chat-ui:hello" });
  const press = (key, more = {}) =>
    own.dispatchEvent(Object.assign(new Event("keydown", { cancelable: true }), { key, ...more }));
  press("Enter");
  press("Escape", { isComposing: true });
  own.addEventListener("keydown", (event) => event.preventDefault(), { once: true, capture: true });
  press("Escape");
  expect(heard.length).toBe(1);
  press("Escape");
  expect(heard[1]).toEqual([{ type: "chat-ui:close" }, PARENT]);
});
