// The file of a recording on its way to the server, which keeps it for this person once it has checked it.

import { limits } from "../branding/branding.js";
import { t } from "../languages/language.js";
import { sentFile } from "../shared/sent_file.js";
import { announce } from "../speech/announcer.jsx";

const MB = 1024 * 1024;

/**
 * Send the file, and say what goes wrong; the id that the server gives it, null where it did not take it or `signal` ended
 * that, which includes the waiting for the server's check.
 * @param {string} address
 * @param {File} file
 * @param {AbortSignal} signal
 * @param {(words: string) => void} onProblem
 */
export async function taken(address, file, signal, onProblem) {
  const { name } = file;
  if (file.size > limits.recording) {
    const size = Math.floor(limits.recording / MB);
    onProblem(t("{name} is larger than {size} MB, the most that is taken here.", { name, size }));
    return null;
  }
  const sent = await sentFile(`${address}/`, file, signal).catch(() => null);
  if (!sent || signal.aborted) return null;
  if (sent.problem) {
    onProblem(sent.isOwn ? t("{name}: {problem}", { name, problem: sent.problem }) : sent.problem);
    return null;
  }
  announce(t("{name} is shown as a backend.", { name }));
  return sent.value.id;
}
