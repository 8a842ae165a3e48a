// What the page does for the time when there is no network, once it has nothing else to do.

import { useEffect } from "react";
import { allows } from "../branding/branding.js";
import { canKeep } from "./copies.js";

// Milliseconds after which a conversation counts as seen.
const SEEN_AFTER = 1000;
const AT_LAST = 5000;

// A copy that does not come about is made the next time.
const load = () => import("./keeping.js");
const working = (act) => load().then(act).catch(console.warn);

const whenIdle = (act) => ("requestIdleCallback" in window ? requestIdleCallback(act, { timeout: AT_LAST }) : act());

export function Offline({ ready, conversation, answer, live, status, written, address, pages }) {
  useEffect(() => {
    if (!ready || !allows("offline") || !canKeep()) return undefined;
    const begin = () => whenIdle(() => working((keeping) => keeping.begin(address, pages)));
    if (document.readyState === "complete") begin();
    else window.addEventListener("load", begin, { once: true });
    return () => window.removeEventListener("load", begin);
  }, [ready]);
  useEffect(() => {
    if (!allows("offline") || !canKeep() || !conversation || !answer || live || !written) return undefined;
    const see = () => working((keeping) => keeping.keep(conversation, address, pages));
    const waiting = setTimeout(() => whenIdle(see), SEEN_AFTER);
    return () => clearTimeout(waiting);
  }, [conversation, answer, live, status, written]);
  return null;
}
