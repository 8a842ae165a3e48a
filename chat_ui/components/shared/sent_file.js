// A file of a person's on its way to this page's server.

import { t } from "../languages/language.js";

/**
 * Send `file` to `address`: the JSON of the response as its `value`, or in words for the person the `problem`, which is the
 * server's own or not. Rejects where `signal` ends it.
 * @param {string} address
 * @param {File} file
 * @param {AbortSignal} signal
 */
export async function sentFile(address, file, signal) {
  try {
    const response = await fetch(address, { method: "POST", credentials: "same-origin", body: file, signal });
    if (response.ok) return { value: await response.json() };
    const isOwn = response.headers.get("Content-Type")?.startsWith("text/plain");
    if (isOwn) return { problem: await response.text(), isOwn };
  } catch (error) {
    signal.throwIfAborted();
    console.warn(error);
  }
  return { problem: t("{name} could not be sent to this page's server. Try again.", { name: file.name }) };
}
