// What the server's document says of its branding and settings, and the beginning of the state that goes with them. The
// build has no document: what it writes instead, the server replaces (`chat_ui/branding/document.py`).

import { initialState } from "$/utils/context";

const TITLE = "chat-ui-title";

const read = () => JSON.parse(globalThis.document?.getElementById("branding")?.textContent ?? "null");

const { parts, options, state } = read() ?? { parts: null, options: {}, state: {} };

for (const [name, values] of Object.entries(state)) Object.assign(initialState[name], values);

export const partOf = (name) => (parts ? parts[name] : `<!--branding:${name}-->`);

export const title = options.title ?? TITLE;

/** Whether a person may see, or do, what the operator can keep from them. */
export const allows = (what) => options[what] ?? true;

/** The languages of the page, and the tag of the one that the operator has chosen, if any. */
export const languages = options.languages ?? [];
export const usual = options.usual ?? null;

export const limits = options.limits ?? {};

/** The sources, as a policy names them, of pages that may show this one in a frame. */
export const frameAncestors = options.frame_ancestors ?? [];
