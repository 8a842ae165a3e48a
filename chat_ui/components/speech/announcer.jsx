// The one live region of the page: whatever a screen reader should hear without moving to it is said here. What is said
// stands there for a second, and there is no more of it at a time than can be listened to: the rest waits.

import { useEffect } from "react";
import { sentenceEnds } from "./sentences.js";

const ID = "announcements";
const STAYS = 1000;
const MOST_CHARACTERS = 300;
const PAUSE = /[\s،、，；：]+/g;

// What the page has to say of itself goes before what is read to the end of an answer.
const ofPage = [];
const ofAnswer = [];
let standing = 0;

// `text` in parts, none too long: cut at the end of a sentence where there is one, else at a pause, else anywhere.
function parts(text) {
  const found = [];
  let rest = text.replace(/\s+/g, " ").trim();
  while (rest.length > MOST_CHARACTERS) {
    const most = rest.slice(0, MOST_CHARACTERS).replace(/[\ud800-\udbff]$/, "");
    const pauses = Array.from(most.matchAll(PAUSE), ({ index, 0: pause }) => index + pause.length);
    const end = sentenceEnds(most).at(-1) ?? pauses.at(-1) ?? most.length;
    found.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end).trimStart();
  }
  return rest ? [...found, rest] : found;
}

function say() {
  const region = document.getElementById(ID);
  if (!region) return;
  for (;;) {
    const queue = ofPage.length > 0 ? ofPage : ofAnswer;
    if (queue.length === 0 || (standing > 0 && standing + queue[0].text.length > MOST_CHARACTERS)) return;
    const { text, lang } = queue.shift();
    const line = document.createElement("p");
    if (lang) line.lang = lang;
    line.textContent = text;
    region.append(line);
    standing += text.length;
    setTimeout(() => {
      line.remove();
      standing -= text.length;
      say();
    }, STAYS);
  }
}

export function announce(text) {
  ofPage.push(...parts(text).map((part) => ({ text: part })));
  say();
}

// Reads text of an answer, in the language `lang` where that is known, after what was read of it before.
export function recite(text, lang) {
  ofAnswer.push(...parts(text).map((part) => ({ text: part, lang })));
  say();
}

// Leaves what waits of an answer unread: another one begins, or it is not on the page any more.
export function hush() {
  ofAnswer.length = 0;
}

export function Announcer() {
  useEffect(say, []);
  return <div id={ID} className="visually-hidden" role="status" aria-live="polite" aria-atomic="false" />;
}
