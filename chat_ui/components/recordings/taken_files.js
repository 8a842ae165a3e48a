// The file of a recording on its way to the server, which keeps it for this person once it has checked it.

import { useState } from "react";
import { limits } from "../branding/branding.js";
import { t } from "../languages/language.js";
import { announce } from "../speech/announcer.jsx";

const MB = 1024 * 1024;

const failed = (name) => t("{name} could not be sent to this page's server. Try again.", { name });

/** Send the file to `address`; resolves to its id, or rejects with words for the person. */
async function sent(address, file) {
  if (file.size > limits.recording)
    throw t("{name} is larger than {size} MB, the most that is taken here.", {
      name: file.name,
      size: Math.floor(limits.recording / MB),
    });
  const response = await fetch(`${address}/`, { method: "POST", credentials: "same-origin", body: file }).catch(() => {
    throw failed(file.name);
  });
  if (response.ok) return (await response.json()).id;
  const isOwn = response.headers.get("Content-Type")?.startsWith("text/plain");
  throw isOwn ? t("{name}: {problem}", { name: file.name, problem: await response.text() }) : failed(file.name);
}

/**
 * What is said of the newest file, whether that went wrong, and what takes one.
 * @param {string} address
 * @param {(id: string) => void} onTaken
 */
export function useTakenFile(address, onTaken) {
  const [said, setSaid] = useState({ words: "", isProblem: false });
  const take = async (file) => {
    setSaid({ words: t("Taking {name}…", { name: file.name }), isProblem: false });
    try {
      const id = await sent(address, file);
      setSaid({ words: "", isProblem: false });
      announce(t("{name} is shown as a backend.", { name: file.name }));
      onTaken(id);
    } catch (problem) {
      setSaid({ words: String(problem), isProblem: true });
    }
  };
  return { ...said, take, forget: () => setSaid({ words: "", isProblem: false }) };
}
