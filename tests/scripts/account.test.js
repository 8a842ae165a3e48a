// The account of a person: its renewal by App Service, conversations from before, and the things a browser forgets.

import { afterEach, expect, spyOn, test } from "bun:test";
import { createElement } from "react";
import { Account } from "../../chat_ui/features/signing_in/page/account.jsx";
import { run } from "../../chat_ui/page/commands/commands.js";
import { Provided } from "../../chat_ui/page/shared/provided.js";
import { click, doing, labelled, leave, render, texts } from "./rendering.js";

const ADDRESS = "/api/sign-in";
const asked = [];
const reloads = [];
let told;
let login;
// The next response waits for it.
let held;

// The body of a response takes more than microtasks.
const responses = () => new Promise((go) => setTimeout(go, 10));

async function open(isAppService = false) {
  spyOn(globalThis, "fetch").mockImplementation(
    /** @type {any} */ (
      async (address) => {
        asked.push(address);
        // Another token, and a clock that is wrong.
        if (address === "/.auth/refresh") login[0].expires_on = new Date(Date.now() + 120_000).toISOString();
        const response = Response.json(address === "/.auth/me" ? login : told, { status: told ? 200 : 403 });
        await held;
        return response;
      }
    ),
  );
  spyOn(location, "reload").mockImplementation(() => reloads.push(told?.tag));
  await render(
    createElement(Account, { address: ADDRESS, isAppService }),
    createElement("header", {}, createElement(Provided, { name: "account" })),
    createElement("main", {}, createElement(Provided, { name: "above-box" })),
  );
  await doing(responses);
}

async function look() {
  window.dispatchEvent(new Event("pageshow"));
  await doing(responses);
}

/** Request the account, and get the response only with a call of the returned function. */
async function lookEarly() {
  const early = Promise.withResolvers();
  held = early.promise;
  await look();
  held = undefined;
  return async () => {
    early.resolve();
    await doing(responses);
  };
}

const buttons = () => /** @type {HTMLElement[]} */ ([...document.querySelectorAll("main button")]);

afterEach(async () => {
  await leave();
  localStorage.clear();
  sessionStorage.clear();
  asked.length = reloads.length = 0;
});

const signedIn = (tag) => ({ state: "in", name: "Anna", required: false, bring: 0, tag });

test("App Service names the person, and renews a token before its end", async () => {
  told = { ...signedIn("anna"), state: "proxy", name: "" };
  const claims = [{ typ: "preferred_username", val: "anna@example.com" }];
  login = [{ expires_on: new Date(Date.now() + 60_000).toISOString(), user_claims: claims }];
  await open(true);
  expect(labelled("Signed in as anna@example.com")).not.toBeNull();
  expect(asked.slice(2)).toEqual(["/.auth/refresh", `${ADDRESS}/me`, "/.auth/me"]);
});

test("the things of another person are forgotten, without choices of the browser", async () => {
  for (const storage of [localStorage, sessionStorage]) {
    storage.setItem("chat-ui-account", "anna");
    storage.setItem("chat-ui-draft", "A draft");
    storage.setItem("chat-ui-citations", "names");
  }
  told = signedIn("anna");
  await open();
  expect(reloads).toEqual([]);
  // The session ended.
  told = { ...signedIn("nobody"), state: "out", name: "" };
  await look();
  expect(reloads).toEqual(["nobody"]);
  expect(sessionStorage.getItem("chat-ui-draft")).toBe("A draft");
  told = signedIn("bea");
  await look();
  expect(sessionStorage.getItem("chat-ui-draft")).toBeNull();
  expect(localStorage.getItem("chat-ui-draft")).toBeNull();
  expect(localStorage.getItem("chat-ui-citations")).toBe("names");
  expect(localStorage.getItem("chat-ui-account")).toBe("bea");
  // It ended, and the browser has no cookie.
  told = null;
  await look();
  expect(reloads).toEqual(["nobody", "bea", undefined]);
});

test("conversations from before are offered until brought along; an earlier response does not offer them again", async () => {
  told = { ...signedIn("anna"), bring: 2 };
  await open();
  const answer = await lookEarly();
  // A double click on Delete.
  await click(buttons()[1]);
  expect(texts("main button")).toEqual(["Delete", "Cancel"]);
  await click(buttons()[1]);
  told = signedIn("anna");
  await click(buttons()[0]);
  await doing(responses);
  expect(asked).toContain(`${ADDRESS}/bring`);
  await answer();
  expect(texts("main button")).toEqual([]);
});

// The script ignores all responses afterwards.
test("a response from before a sign-out leaves nothing of the person", async () => {
  told = signedIn("anna");
  await open();
  const answer = await lookEarly();
  const leaving = spyOn(location, "assign").mockImplementation(() => {});
  await doing(() => run("sign-out"));
  await doing(responses);
  expect(leaving).toHaveBeenCalledTimes(1);
  await answer();
  expect(localStorage.getItem("chat-ui-account")).toBeNull();
  document.documentElement.hidden = false;
});
