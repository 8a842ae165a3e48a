// The page's messages in its language. The document names a script with the language's messages, which runs before this
// one; English needs no script. A message about a count has several forms.

import { Fragment, createElement } from "react";

/** @typedef {{ messages: Record<string, string | string[]>, forms: Record<string, number> }} Words */

/**
 * Messages by their English, and the index of each plural category among the forms of a message.
 * @returns {Words}
 */
const words = () => globalThis.chatUiWords ?? { messages: {}, forms: {} };

const tag = () => globalThis.document?.documentElement?.lang || "en";

/** The page's language for `Intl`, with the digits of the citations. English is British, as on the server. */
export const locale = () => `${tag() === "en" ? "en-GB" : tag()}-u-nu-latn`;

/** The time of day. @param {Date} moment */
export const timeOf = (moment) => moment.toLocaleTimeString(locale(), { timeStyle: "short" });

/** A day in the form of `Language.day` on the server. @param {Date} moment */
export const dayOf = (moment, withYear = true) =>
  moment.toLocaleDateString(locale(), withYear ? { dateStyle: "long" } : { day: "numeric", month: "long" });

/** A number in the page's language. */
export const inDigits = (number) => new Intl.NumberFormat(locale(), { maximumFractionDigits: 3 }).format(number);

/** The size of a file in words, at least 0.1 kB. */
export function sizeOf(bytes) {
  const [unit, number] = bytes < 2 ** 20 ? ["kilobyte", Math.max(bytes, 100) / 2 ** 10] : ["megabyte", bytes / 2 ** 20];
  return number.toLocaleString(locale(), { style: "unit", unit, maximumFractionDigits: 1 });
}

const shown = (value) => (typeof value === "number" ? inDigits(value) : value);

const filled = (template, values) =>
  template.replace(/\{(\w+)\}/g, (field, name) => (name in values ? shown(values[name]) : field));

function templateOf(message, plural, count) {
  const { messages, forms } = words();
  const said = Object.hasOwn(messages, message) ? [messages[message]].flat() : undefined;
  if (plural === undefined) return said ? said[0] : message;
  const category = new Intl.PluralRules(tag()).select(count);
  if (said) return said[forms[category]] ?? said.at(-1);
  return category === "one" ? message : plural;
}

/**
 * The build's mark for a value or a message, which the server replaces (`chat_ui/server/document.py`).
 * @param {string | unknown[]} what
 */
export const marked = (what) => `\uE000${JSON.stringify(what)}\uE001`;

/**
 * A message in the page's language, with the values of its `{names}`.
 * @param {string} message
 * @param {Record<string, string | number>} [values]
 * @returns {string}
 */
export function t(message, values = {}) {
  return import.meta.env?.SSR ? marked([message, values]) : filled(templateOf(message), values);
}

/**
 * A message with plural forms, in which `{count}` is `count`.
 * @param {string} message
 * @param {string} plural
 * @param {number} count
 * @param {Record<string, string | number>} [values]
 * @returns {string}
 */
export function tn(message, plural, count, values = {}) {
  const all = { count, ...values };
  return import.meta.env?.SSR ? marked([message, all, plural, count]) : filled(templateOf(message, plural, count), all);
}

/**
 * A list of names with the commas of the page's language: `Intl.ListFormat` lacks them in Chinese.
 * @param {string[]} names
 */
export const inARow = (names) => names.reduce((some, more) => t("{some}, {more}", { some, more }));

/**
 * A message with an element for each `{name}`. Use it only for parts that are missing at the first paint.
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
