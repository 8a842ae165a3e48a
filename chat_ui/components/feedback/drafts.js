// What is typed in this tab and not kept yet, by name. It outlasts the page where the browser stores anything.

import { DRAFTS } from "./drafts_key.js";

let drafts = JSON.parse(sessionStorage.getItem(DRAFTS)) ?? {};

function write(changed) {
  drafts = changed;
  try {
    sessionStorage.setItem(DRAFTS, JSON.stringify(drafts));
  } catch (error) {
    // They last as long as the page then.
    console.warn(error);
  }
}

export const draftAt = (name) => drafts[name];
export const draftNames = () => Object.keys(drafts);
export const setDraft = (name, draft) => write({ ...drafts, [name]: draft });

export function dropDraft(name) {
  if (!(name in drafts)) return;
  const { [name]: _, ...others } = drafts;
  write(others);
}

export const dropDrafts = () => write({});
