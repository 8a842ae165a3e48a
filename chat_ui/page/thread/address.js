// Puts the open conversation's address into the address bar once it is stored, so that every server finds it on a
// reload or elsewhere. The router is bypassed, as it would render the page again.

import { useEffect } from "react";
import { useLocation } from "react-router";
import { pushAddress, replaceAddress, useRouted } from "../shared/back_steps.js";

// Someone who goes to the start page, other than by a reload or Back, begins a new chat. A frame keeps its conversation on
// the next page of its site.
if (globalThis.window && window.parent === window && window.location.pathname === "/") {
  const [visit] = /** @type {PerformanceNavigationTiming[]} */ (performance.getEntriesByType("navigation"));
  // As in `ChatState`.
  if (visit?.type === "navigate") sessionStorage.setItem("chat-ui-conversation", "");
}

export function Address({ conversation, begun, written, under }) {
  const { pathname, key } = useLocation();
  const routed = pathname.startsWith(under);
  useRouted(key);

  useEffect(() => {
    // On that page the router's own address names the conversation.
    if (routed || !conversation) return;
    if (begun && written) replaceAddress(`${under}/${conversation}`);
    else if (!begun && window.location.pathname.startsWith(under)) pushAddress("/");
  }, [conversation, begun, written, under, routed]);
  return null;
}
