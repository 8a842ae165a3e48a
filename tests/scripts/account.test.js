// The account of a person: its renewal by App Service, and the things that a browser forgets.

import { afterEach, expect, spyOn, test } from "bun:test";
import { createElement } from "react";
import { Account } from "../../chat_ui/features/signing_in/page/account.jsx";
import { Provided } from "../../chat_ui/page/shared/provided.js";
import { doing, labelled, leave, render, settled } from "./rendering.js";

const ADDRESS = "/api/sign-in";
const asked = [];
const reloads = [];
let told;
let login;

async function open(isAppService = false) {
  spyOn(globalThis, "fetch").mockImplementation(
    /** @type {any} */ (
      async (address) => {
        asked.push(address);
        return Response.json(address === "/.auth/me" ? login : told);
      }
    ),
  );
  spyOn(location, "reload").mockImplementation(() => reloads.push(told.tag));
  await render(
    createElement(Account, { address: ADDRESS, isAppService }),
    createElement("header", {}, createElement(Provided, { name: "account" })),
  );
  await doing(settled);
}

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
  window.dispatchEvent(new Event("pageshow"));
  await doing(settled);
  expect(reloads).toEqual(["nobody"]);
  expect(sessionStorage.getItem("chat-ui-draft")).toBe("A draft");
  told = signedIn("bea");
  window.dispatchEvent(new Event("pageshow"));
  await doing(settled);
  expect(sessionStorage.getItem("chat-ui-draft")).toBeNull();
  expect(localStorage.getItem("chat-ui-draft")).toBeNull();
  expect(localStorage.getItem("chat-ui-citations")).toBe("names");
  expect(localStorage.getItem("chat-ui-account")).toBe("bea");
});
