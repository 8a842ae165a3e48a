// The values of the server's document: parts of the page, options, and their initial state.

import { initialState } from "$/utils/context";
import { marked } from "../languages/language.js";

const read = () => JSON.parse(globalThis.document?.getElementById("painted")?.textContent ?? "null");

const { parts, options, state } = read() ?? { parts: null, options: {}, state: {} };

for (const [name, values] of Object.entries(state)) Object.assign(initialState[name], values);

/**
 * A value of the page; in the build, without a document, its mark.
 * @template T
 * @param {string} name
 * @param {T} value
 */
export const painted = (name, value) => (import.meta.env?.SSR ? marked(name) : value);

export const partOf = (name) => painted(name, parts?.[name]);

export const title = painted("title", options.title);

/** Whether the operator allows a feature. */
export const allows = (what) => (parts ? Boolean(options[what]) : true);

/** The languages of the page, and the tag of the operator's default, if any. */
export const languages = options.languages ?? [];
export const usual = options.usual ?? null;

/** The operator's settings of signing in, if people can. @type {{ app_service?: boolean } | undefined} */
export const signIn = options.sign_in;

export const limits = options.limits ?? {};

/** The policy sources of pages that may embed this one. */
export const frameAncestors = options.frame_ancestors ?? [];
