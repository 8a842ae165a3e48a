// The account of the person: signing in and out, and conversations from before. Nothing of a person stays in this
// browser once they have signed out, or another person has signed in.

import { DropdownMenu } from "@radix-ui/themes";
import { CircleUser, LogIn } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import { useCommand } from "../../../page/commands/commands.js";
import { t, tn } from "../../../page/languages/language.js";
import { Alert } from "../../../page/shared/alert.jsx";
import { replaceAddress } from "../../../page/shared/back_steps.js";
import { Button, IconButton } from "../../../page/shared/button.jsx";
import { hear } from "../../../page/shared/hearing.js";
import { fetchedJson, request, untilLoaded, wordsOf } from "../../../page/shared/loading.js";
import { MenuFrame } from "../../../page/shared/menu.jsx";
import { useProvide } from "../../../page/shared/provided.js";
import { adopt } from "../../../page/shared/stylesheets.js";
import rules from "./account.css?inline";

adopt(rules);

// The person whose things the storage has, by their tag.
const OWNER = "chat-ui-account";
const KEPT = ["chat-ui-citations", "chat-ui-shortcuts"];
const RENEWED_BEFORE = 300_000;
const RENEWED_AT_MOST = 60_000;
const whoIs = (name) => t("Signed in as {name}", { name });
const failed = () => t("Loading failed. Try again in a moment.");
const outcomes = () => ({
  denied: t("You did not sign in."),
  failed: t("Signing in failed. Try again."),
  expired: t("This sign-in has expired. Start again."),
  "not-allowed": t("Your account may not use this page. Ask its operator."),
  out: t("You are signed out here. The sign-in service keeps its own session."),
  unavailable: t("The sign-in service does not answer. Try again in a moment."),
  "not-out": t("Signing out failed. Try again."),
});

// Responses to requests before the latest one with a response do not count: they may be about the person before.
let requests = 0;
let latest = 0;
// Nothing counts from a sign-out on: a reload would stop the way to the provider's page.
let isLeaving = false;

const tabs = new BroadcastChannel(OWNER);
tabs.onmessage = ({ data }) => leaveFor(data);

function forget() {
  for (const storage of [localStorage, sessionStorage])
    for (const key of Object.keys(storage))
      if (key.startsWith("chat-ui-") && !KEPT.includes(key)) storage.removeItem(key);
  // The browser restores the text of a box with Back.
  for (const box of document.querySelectorAll("textarea")) box.value = "";
}

function leaveFor(address) {
  isLeaving = true;
  forget();
  // Until the other page is there, and if the browser freezes this one.
  document.documentElement.hidden = true;
  addEventListener("pageshow", () => location.reload());
  location.assign(address);
}

/** Forget the things of another person than this one, who may be signed out; whether there were any. */
function forgetOthers({ state, tag }) {
  const storages = [localStorage, sessionStorage];
  const owner = state === "out" ? localStorage.getItem(OWNER) : tag;
  const isOthers = storages.some((storage) => ![null, owner].includes(storage.getItem(OWNER)));
  if (isOthers) forget();
  if (state !== "out") for (const storage of storages) storage.setItem(OWNER, tag);
  return isOthers;
}

// From the token store of App Service; its tokens are not used.
async function ofAppService(signal) {
  const [login] = await fetchedJson("/.auth/me", signal);
  const claim = (name) => login?.user_claims?.find(({ typ }) => typ === name)?.val;
  const name = claim("name") ?? claim("preferred_username") ?? login?.user_id ?? "";
  return { name, endsAt: Date.parse(login?.expires_on) };
}

/** The server's words about the person, null until loaded, and their loader. For another person, the page reloads. */
function useTold(address, isAppService) {
  const [told, setTold] = useState(null);
  const shown = useRef("");
  const renewed = useRef(0);
  const load = async (signal = undefined) => {
    requests += 1;
    const number = requests;
    // After the end of a session this browser is unknown, until a page gives it a cookie.
    const unknown = (error) =>
      shown.current && error.status === 403 ? { state: "out", tag: "" } : Promise.reject(error);
    const person = await fetchedJson(`${address}/me`, signal).catch(unknown);
    const now = { ...person, ...(isAppService && (await ofAppService(signal).catch(() => ({})))) };
    if (isLeaving || number < latest) return;
    latest = number;
    const isOther = shown.current && shown.current !== now.tag;
    if (forgetOthers(now) || isOther) location.reload();
    shown.current = now.tag;
    setTold(now);
  };
  useEffect(() => untilLoaded(load), []);
  useEffect(() => {
    if (told) document.getElementById("until-known")?.remove();
    // Not in a loop if this clock is wrong, or tokens last only minutes.
    const due = () => Math.max(told?.endsAt - RENEWED_BEFORE, renewed.current + RENEWED_AT_MOST);
    const look = async () => {
      if (document.hidden) return;
      // The next request then brings the new token to the server.
      if (Date.now() >= due()) {
        renewed.current = Date.now();
        await fetch("/.auth/refresh");
      }
      await load();
    };
    const again = () => look().catch(() => {});
    const timer = due() ? setTimeout(again, due() - Date.now()) : 0;
    const leave = hear(window, { focus: again, online: again, pageshow: again, visibilitychange: again });
    return () => {
      clearTimeout(timer);
      leave();
    };
  }, [told]);
  return [told, load];
}

export function Account({ address, isAppService }) {
  const [told, load] = useTold(address, isAppService);
  const [outcome, setOutcome] = useState(() => new URLSearchParams(location.search).get("sign-in"));
  const isFramed = window.parent !== window;
  const signIn = (backend = "") => {
    // The draft survives the way; a question of the address is not one yet.
    document.getElementById("message")?.dispatchEvent(new Event("input"));
    const to = location.pathname;
    const query = new URLSearchParams(isAppService ? { post_login_redirect_uri: to } : { to, backend });
    // A provider's page refuses to be in a frame.
    open(`${isAppService ? "/.auth/login/aad" : address}?${query}`, isFramed ? "_blank" : "_self");
  };
  const signOut = async () => {
    isLeaving = true;
    try {
      if (isAppService) {
        const to = "/.auth/logout?post_logout_redirect_uri=/";
        tabs.postMessage(to);
        leaveFor(to);
        return;
      }
      const { to } = await (await request(`${address}/out`, "POST")).json();
      tabs.postMessage("/");
      leaveFor(to === "/" ? "/?sign-in=out" : to);
    } catch {
      isLeaving = false;
      setOutcome("not-out");
    }
  };
  useEffect(() => {
    if (location.search.includes("sign-in=")) replaceAddress(location.pathname);
    return hear(document, { input: () => setOutcome("") });
  }, []);
  const { name, state, required, bring } = told ?? {};
  const isOut = state === "out";
  const isNeeded = Boolean(isOut && required);
  useEffect(() => {
    document.documentElement.toggleAttribute("data-sign-in-first", isNeeded);
  }, [isNeeded]);
  const again = ({ backend }) => (
    <Button isPrimary onClick={() => signIn(backend)}>
      {name ? t("Sign in again") : t("Sign in")}
    </Button>
  );
  const accountButton = name ? (
    <MenuFrame align="end" button={<HeaderButton label={whoIs(name)} words={name} sign={CircleUser} />}>
      <DropdownMenu.Label className="whole-name">{whoIs(name)}</DropdownMenu.Label>
      <DropdownMenu.Item onSelect={signOut}>{t("Sign out")}</DropdownMenu.Item>
    </MenuFrame>
  ) : (
    isOut && !isNeeded && <HeaderButton label={t("Sign in")} sign={LogIn} onClick={() => signIn()} />
  );
  const aboveBox = (
    <>
      <Alert className="callout" words={outcomes()[outcome]} />
      {bring > 0 && <BringAlong count={bring} address={`${address}/bring`} onDone={() => load()} />}
      {isNeeded && (
        <div className="callout sign-in-first">
          <p id="sign-in-first">
            {isFramed ? t("Open the chat in a tab to sign in.") : t("Sign in to ask. Your text is kept.")}
          </p>
          <Button isPrimary autoFocus={!isFramed} aria-describedby="sign-in-first" onClick={() => signIn()}>
            {t("Sign in")}
          </Button>
        </div>
      )}
    </>
  );
  useCommand("sign-in", isOut && (() => signIn()), { label: t("Sign in") });
  useCommand("sign-out", name && signOut, { label: t("Sign out") });
  useProvide("account", accountButton);
  useProvide("above-box", aboveBox);
  useProvide("sign-in-again", told && again);
  return null;
}

const HeaderButton = ({ label, words = label, ...rest }) => (
  <IconButton className="account" label={label} size={18} {...rest}>
    <span className="tool-label" dir="auto">
      {words}
    </span>
  </IconButton>
);

function BringAlong({ count, address, onDone }) {
  const [isDeleting, setDeleting] = useState(false);
  const [problem, setProblem] = useState("");
  const answer = (bring) =>
    request(address, "POST", { bring }).then(onDone, (why) => setProblem(wordsOf(why) ?? failed()));
  const ask = (toDelete) => {
    setProblem("");
    setDeleting(toDelete);
  };
  const words = isDeleting
    ? tn("One conversation will be permanently deleted.", "{count} conversations will be permanently deleted.", count)
    : tn(
        "Bring along one conversation from before you signed in?",
        "Bring along {count} conversations from before you signed in?",
        count,
      );
  return (
    <div role="group" aria-label={t("Bring along")} className="callout bring-along">
      <p role="status">{problem || words}</p>
      {isDeleting ? (
        // A double click on Delete cancels.
        <>
          <Button className="button button-primary danger" onClick={() => answer(false)}>
            {t("Delete")}
          </Button>
          <Button onClick={() => ask(false)}>{t("Cancel")}</Button>
        </>
      ) : (
        <>
          <Button isPrimary onClick={() => answer(true)}>
            {t("Bring along")}
          </Button>
          <Button onClick={() => ask(true)}>{t("Delete")}</Button>
        </>
      )}
    </div>
  );
}
