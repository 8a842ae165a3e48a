// Copies the text of an address, with optional rich text of another one. The clipboard is requested within the click,
// as browsers require.

import { useEffect, useState } from "react";
import { t } from "../languages/language.js";
import { announce } from "../announcing/announcer.jsx";
import { IconButton } from "./button.jsx";

const SHOWN_FOR = 2000;
const PROBLEM_SHOWN_FOR = 8000;
export const notAllowed = () =>
  t("The browser blocked copying. Allow access to the clipboard, or select the text and copy it.");
const noLine = () => t("Not copied: the server cannot be reached. Try again in a moment.");
const MOST_WORDS = 300;

// The reason for the server's refusal, in its own text if that is for a person.
async function refusal(response) {
  const isText = response.headers.get("Content-Type")?.startsWith("text/plain");
  const words = isText ? (await response.text()).trim().slice(0, MOST_WORDS) : "";
  return words && words !== "Internal Server Error"
    ? t("Not copied. The server says: {words}", { words })
    : t("Not copied: the server did not return the text ({status}). Try again in a moment.", {
        status: String(response.status),
      });
}

/** Whether the text was just copied, the reason for a failure, and `copy`, which takes the addresses of the text. */
export function useCopying() {
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

  const copy = async (address, rich) => {
    // The clipboard reports a missing text without the reason.
    let missing = "";
    const blob = async (from, type) => {
      const response = await fetch(from, { credentials: "same-origin" }).catch(() => null);
      const text = response?.ok ? await response.text().catch(() => null) : null;
      if (text !== null) return new Blob([text], { type });
      missing ||= response && !response.ok ? await refusal(response).catch(noLine) : noLine();
      throw new Error(missing);
    };
    setProblem("");
    const texts = { "text/plain": blob(address, "text/plain") };
    if (rich) texts["text/html"] = blob(rich, "text/html");
    const come = Promise.allSettled(Object.values(texts));
    try {
      await navigator.clipboard.write([new ClipboardItem(texts)]);
      setCopied(true);
      announce(t("Copied."));
    } catch {
      await come;
      const words = missing || notAllowed();
      setCopied(false);
      setProblem(words);
      announce(words);
    }
  };

  return { copied, problem, copy };
}

/** The button with this `label` that shows the outcome of a copy. */
export const CopyingButton = ({ copying, label, onClick, children }) => (
  <IconButton
    label={label}
    title={copying.problem || label}
    data-copied={copying.copied || undefined}
    data-problem={copying.problem || undefined}
    onClick={onClick}
  >
    {children}
  </IconButton>
);

export function CopyButton({ address, rich, label, children }) {
  const copying = useCopying();
  return (
    <CopyingButton copying={copying} label={label} onClick={() => copying.copy(address, rich)}>
      {children}
    </CopyingButton>
  );
}
