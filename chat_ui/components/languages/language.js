// What the page says, in the language of its document. The server puts the words of that language into the document, but
// for those of scripts that load when they are needed; English needs none. A message about a count has several forms.

import { Fragment, createElement } from "react";

/** @typedef {{ keys: string, said: (string | string[])[] }} Words */

/** @type {Words & { forms: Record<string, number>, later: string | null }} */
const {
  forms,
  later: laterWords,
  ...words
} = JSON.parse(
  globalThis.document?.getElementById?.("catalogue")?.textContent ?? '{"keys":"","said":[],"forms":{},"later":null}',
);

/** The address of what is said by scripts that load when they are needed, where the language has any of it. */
export const later = laterWords;

const KEY_LENGTH = 4;

/** @type {Map<string, string[]>} */
const messages = new Map();

/**
 * Four characters that stand for a message: the server names it by the same (`chat_ui/languages/page_words.py`).
 * @param {string} message
 */
export function keyOf(message) {
  let hash = 0x811c9dc5;
  for (const character of message) hash = Math.imul(hash ^ character.codePointAt(0), 0x01000193);
  const folded = (hash >>> 24) ^ (hash & 0xffffff);
  return btoa(String.fromCharCode(folded >>> 16, (folded >>> 8) & 0xff, folded & 0xff));
}

/**
 * Know further messages: their keys in a row, and each message, as its forms where it has several. What is no text is
 * left out, so that it is said in English.
 * @param {Words} words
 */
export function addWords({ keys, said }) {
  for (const [place, one] of said.entries()) {
    const forms = [one].flat();
    if (forms.length && forms.every((form) => typeof form === "string"))
      messages.set(keys.slice(KEY_LENGTH * place, KEY_LENGTH * (place + 1)), forms);
  }
}

addWords(words);

const tag = () => globalThis.document?.documentElement?.lang || "en";

/** The page's language for `Intl`, with the digits of the citations. */
export const locale = () => `${tag()}-u-nu-latn`;

/** A number as the page's language writes it. */
export const inDigits = (number) => new Intl.NumberFormat(locale(), { maximumFractionDigits: 3 }).format(number);

const shown = (value) => (typeof value === "number" ? inDigits(value) : value);

const filled = (template, values) =>
  template.replace(/\{(\w+)\}/g, (field, name) => (name in values ? shown(values[name]) : field));

function templateOf(message, plural, count) {
  const said = messages.size ? messages.get(keyOf(message)) : undefined;
  if (plural === undefined) return said ? said[0] : message;
  const category = new Intl.PluralRules(tag()).select(count);
  if (said) return said[forms[category] ?? said.length - 1];
  return category === "one" ? message : plural;
}

// What the build writes instead of a message: the server reads it (`chat_ui/languages/marked_pages.py`).
const marked = (...message) => `\uE000${JSON.stringify(message)}\uE001`;

/**
 * A message in the page's language; each `{name}` in it is the value of that name.
 * @param {string} message
 * @param {Record<string, string | number>} [values]
 * @returns {string}
 */
export function t(message, values = {}) {
  return import.meta.env?.SSR ? marked(message, values) : filled(templateOf(message), values);
}

/**
 * A message about a `count` of things, which is `{count}` in it.
 * @param {string} message
 * @param {string} plural
 * @param {number} count
 * @param {Record<string, string | number>} [values]
 * @returns {string}
 */
export function tn(message, plural, count, values = {}) {
  const all = { count, ...values };
  return import.meta.env?.SSR ? marked(message, all, plural, count) : filled(templateOf(message, plural, count), all);
}

/**
 * Names in a row, with the commas of the page's language: `Intl.ListFormat` has none in Chinese.
 * @param {string[]} names
 */
export const inARow = (names) => names.reduce((some, more) => t("{some}, {more}", { some, more }));

/**
 * A message in pieces, with an element in the place of each `{name}`. Only for what is not there at the first paint.
 * @param {string} message
 * @param {Record<string, import("react").ReactNode>} elements
 * @returns {import("react").ReactElement}
 */
export const rich = (message, elements) =>
  createElement(
    Fragment,
    null,
    ...templateOf(message)
      .split(/\{(\w+)\}/)
      .map((piece, place) => (place % 2 ? elements[piece] : piece)),
  );
