// Copies the text that an address answers with, and beside it the rich text that another does, where there is one. The clipboard is asked within the click, as browsers want it.

import { useEffect, useState } from "react";
import { announce } from "../speech/announcer.jsx";

const SHOWN_FOR = 2000;
const PROBLEM_SHOWN_FOR = 8000;
const NOT_ALLOWED =
  "The browser does not let this page copy. Allow it the clipboard, or select the text and copy that.";
const NO_LINE = "The server cannot be reached, so nothing was copied. Try again in a little while.";
const REFUSED = "The server did not hand over what was to be copied. Try again in a little while.";
const MOST_WORDS = 300;

// Why the server does not give what is to be copied: in its own words where it has any for a person.
async function refusal(response) {
  const isText = response.headers.get("Content-Type")?.startsWith("text/plain");
  const words = isText ? (await response.text()).trim().slice(0, MOST_WORDS) : "";
  return words && words !== "Internal Server Error"
    ? `Nothing was copied. The server says: ${words}`
    : `${REFUSED} (${response.status})`;
}

export function CopyButton({ address, rich, label, children }) {
  const [copied, setCopied] = useState(false);
  const [problem, setProblem] = useState("");

  useEffect(() => {
    if (!copied && !problem) return undefined;
    const waiting = setTimeout(
      () => {
        setCopied(false);
        setProblem("");
      },
      problem ? PROBLEM_SHOWN_FOR : SHOWN_FOR,
    );
    return () => clearTimeout(waiting);
  }, [copied, problem]);

  const copy = async () => {
    // The clipboard tells that a text did not come, and not why.
    let missing = "";
    const blob = async (from, type) => {
      const response = await fetch(from, { credentials: "same-origin" }).catch(() => null);
      const text = response?.ok ? await response.text().catch(() => null) : null;
      if (text !== null) return new Blob([text], { type });
      missing ||= response && !response.ok ? await refusal(response).catch(() => NO_LINE) : NO_LINE;
      throw new Error(missing);
    };
    setProblem("");
    const texts = { "text/plain": blob(address, "text/plain") };
    if (rich) texts["text/html"] = blob(rich, "text/html");
    const come = Promise.allSettled(Object.values(texts));
    try {
      await navigator.clipboard.write([new ClipboardItem(texts)]);
      setCopied(true);
      announce("Copied.");
    } catch {
      await come;
      const words = missing || NOT_ALLOWED;
      setCopied(false);
      setProblem(words);
      announce(words);
    }
  };

  return (
    <button
      type="button"
      className="tool"
      aria-label={label}
      title={problem || label}
      data-copied={copied || undefined}
      data-problem={problem || undefined}
      onClick={copy}
    >
      {children}
    </button>
  );
}
