// The address bar names the conversation that is shown, so that it can be kept, reloaded and opened elsewhere: not
// before the store has it, where any server finds it. The page stays the one it is: the router, which would build it
// anew, is not asked.

import { useEffect } from "react";
import { useLocation } from "react-router";

export function Address({ conversation, begun, written, under }) {
  const routed = useLocation().pathname.startsWith(under);

  useEffect(() => {
    // There the router's own address says which conversation is meant.
    if (routed || !conversation) return;
    if (begun && written) history.replaceState(history.state, "", `${under}/${conversation}`);
    else if (!begun && window.location.pathname.startsWith(under)) history.pushState(history.state, "", "/");
  }, [conversation, begun, written, under, routed]);
  return null;
}
