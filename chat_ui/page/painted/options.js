// The values of the server's document: parts of the page, options, and the beginning of the state that goes with them.

import { initialState } from "$/utils/context";
import { marked } from "../languages/language.js";

const read = () => JSON.parse(globalThis.document?.getElementById("painted")?.textContent ?? "null");

const { parts, options, state } = read() ?? { parts: null, options: {}, state: {} };

for (const [name, values] of Object.entries(state)) Object.assign(initialState[name], values);

/**
 * A value of the page; in the build, which has no document, a mark that stands for it.
 * @template T
 * @param {string} name
 * @param {T} value
 */
export const painted = (name, value) => (import.meta.env?.SSR ? marked(name) : value);

export const partOf = (name) => painted(name, parts?.[name]);

export const title = painted("title", options.title);

/** Whether a person may see, or do, what the operator can keep from them. */
export const allows = (what) => (parts ? Boolean(options[what]) : true);

/** The languages of the page, and the tag of the one that the operator has chosen, if any. */
export const languages = options.languages ?? [];
export const usual = options.usual ?? null;

export const limits = options.limits ?? {};

/** The sources, as a policy names them, of pages that may show this one in a frame. */
export const frameAncestors = options.frame_ancestors ?? [];
