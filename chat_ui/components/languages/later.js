// Brings the words of scripts that load when they are needed: each that says something imports this, and so waits for it.
// Without a connection they speak English.

import { addWords, later } from "./language.js";

const PATIENCE = 5000;

async function fetched() {
  const response = await fetch(later, { signal: AbortSignal.timeout(PATIENCE) });
  if (!response.ok) throw new Error(`The words of this language were not there: ${response.status}.`);
  return response.json();
}

if (later) await fetched().then(addWords).catch(console.warn);
