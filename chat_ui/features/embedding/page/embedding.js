// The page in a frame of another page: it follows that page's messages, and reports the progress of the conversation,
// but never its text.

import { useContext, useEffect, useRef, useState } from "react";
import { ColorModeContext } from "$/utils/context";
import { frameAncestors, limits } from "../../../page/painted/options.js";
import { run } from "../../../page/commands/commands.js";
import { focusHome } from "../../../page/shared/focus.js";
import { Host } from "./host.js";

const FINISHED = "finished";

// Listen from the start, as the embedding page may send messages before hydration.
const isFramed = globalThis.window !== undefined && window.parent !== window;
const host = isFramed ? new Host(window, frameAncestors, limits.question) : null;

const focus = () => document.activeElement === document.body && focusHome();

export function Embedding({ conversation, gone, begun, written, under, answer }) {
  const { id, live, status, sources } = answer;
  const { setColorMode } = useContext(ColorModeContext);
  const [isAlive, setAlive] = useState(false);
  const followed = useRef("");

  // The stored colour scheme is applied by another effect, after this one.
  useEffect(() => setAlive(true), []);
  useEffect(
    () =>
      isAlive ? host?.hear({ ask: (question) => run("fill", question), colorScheme: setColorMode, focus }) : undefined,
    [isAlive, setColorMode],
  );
  useEffect(() => {
    if (gone || (conversation && (!begun || written))) host?.tellConversation(begun ? `${under}/${conversation}` : "");
  }, [conversation, gone, begun, written, under]);
  useEffect(() => {
    if (live) followed.current = id;
    if (live || !id || followed.current !== id) return;
    followed.current = "";
    host?.tellAnswer(status === FINISHED, sources);
  }, [id, live, status, sources]);
  return null;
}
