// The address bar names the open conversation, which can so be kept, reloaded and opened elsewhere: once the store has it,
// where any server finds it. The router is passed over: it would build the page anew.

import { useEffect } from "react";
import { useLocation } from "react-router";
import { pushAddress, replaceAddress, useRouted } from "../shared/back_steps.js";

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
