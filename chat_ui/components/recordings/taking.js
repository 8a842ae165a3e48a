// The file of a recording on its way to the server, which keeps it for this person once it has checked it.

import { limits } from "../branding/branding.js";
import { t } from "../languages/language.js";
import "../languages/later.js";
import { announce } from "../speech/announcer.jsx";

const MB = 1024 * 1024;

const failed = (name) => t("{name} could not be sent to this page's server. Try again.", { name });

/** Send the file to `address`; resolves to its id, or rejects with words for the person, or with the abort. */
async function sent(address, file, signal) {
  if (file.size > limits.recording)
    throw t("{name} is larger than {size} MB, the most that is taken here.", {
      name: file.name,
      size: Math.floor(limits.recording / MB),
    });
  const request = { method: "POST", credentials: /** @type {const} */ ("same-origin"), body: file, signal };
  const response = await fetch(`${address}/`, request).catch(() => {
    signal.throwIfAborted();
    throw failed(file.name);
  });
  if (response.ok) return (await response.json()).id;
  const isOwn = response.headers.get("Content-Type")?.startsWith("text/plain");
  throw isOwn ? t("{name}: {problem}", { name: file.name, problem: await response.text() }) : failed(file.name);
}

/**
 * Send the file, and say what goes wrong; the id that the server gives it, null where it did not take it or `signal` ended
 * that, which includes the waiting for the server's check.
 * @param {string} address
 * @param {File} file
 * @param {AbortSignal} signal
 * @param {(words: string) => void} onProblem
 */
export async function taken(address, file, signal, onProblem) {
  try {
    const id = await sent(address, file, signal);
    signal.throwIfAborted();
    announce(t("{name} is shown as a backend.", { name: file.name }));
    return id;
  } catch (problem) {
    if (!signal.aborted) onProblem(String(problem));
    return null;
  }
}
