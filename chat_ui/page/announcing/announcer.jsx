// The one live region of the page: everything that a screen reader announces without moving to it is said here. An
// announcement stands for a second, and is short enough to be listened to: the rest waits.

import { useEffect } from "react";
import { element } from "../shared/element.js";

const ID = "announcements";
const STAYS = 1000;
/** The characters that stand there at a time; a longer text is announced in parts. */
export const MOST_CHARACTERS = 300;

// Announcements of the page go before the text of an answer.
const ofPage = [];
const ofAnswer = [];
let standing = 0;
// What ends the speaker or the microphone that is on, if any.
let endSound = null;

function say() {
  const region = document.getElementById(ID);
  if (!region) return;
  for (;;) {
    const queue = ofPage.length > 0 || endSound ? ofPage : ofAnswer;
    if (queue.length === 0 || (standing > 0 && standing + queue[0].words.length > MOST_CHARACTERS)) return;
    const { words, lang } = queue.shift();
    const line = element("p", lang ? { lang } : {}, words);
    region.append(line);
    standing += words.length;
    setTimeout(() => {
      line.remove();
      standing -= words.length;
      say();
    }, STAYS);
  }
}

export function announce(words) {
  ofPage.push({ words });
  say();
}

/**
 * Announce text of an answer after the text before it.
 * @param {string} words
 * @param {{ lang?: string, column?: string }} [where] - its language, and the column of a comparison that it is in
 */
export function announceText(words, { lang = "", column = "" } = {}) {
  ofAnswer.push({ words, lang, column });
  say();
}

// Drops the waiting text of the answer in a column: another answer begins, or this one is no longer on the page.
export function hush(column = "") {
  const others = ofAnswer.filter((one) => one.column !== column);
  ofAnswer.splice(0, ofAnswer.length, ...others);
}

// Begins to use the sound: what used it ends, and the text of an answer waits, as each would be heard by the other.
export function takeSound(end) {
  const former = endSound;
  endSound = end;
  former?.();
}

export function leaveSound(end) {
  if (endSound !== end) return;
  endSound = null;
  say();
}

export function Announcer() {
  useEffect(say, []);
  // A role of status would have some screen readers read all that stands here again with each line.
  return <div id={ID} className="visually-hidden" aria-live="polite" aria-atomic="false" aria-relevant="additions" />;
}
