// The only live region of the page, for all announcements to screen readers. An announcement is short and stays for a
// second; others are queued.

import { useEffect } from "react";
import { element } from "../shared/element.js";

const ID = "announcements";
const STAYS = 1000;
/** The maximum length of an announcement; a longer text is split. */
export const MOST_CHARACTERS = 300;

// Announcements of the page precede the text of an answer.
const ofPage = [];
const ofAnswer = [];
let standing = 0;
// Stops the current use of the speaker or microphone, if any.
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

// Drops the queued text of the answer in a column, after a new answer or its removal from the page.
export function hush(column = "") {
  const others = ofAnswer.filter((one) => one.column !== column);
  ofAnswer.splice(0, ofAnswer.length, ...others);
}

// Takes the sound: its former user stops, and announcements of an answer wait, so that neither hears the other.
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
  // With a role of status, some screen readers would repeat the whole region with each line.
  return <div id={ID} className="visually-hidden" aria-live="polite" aria-atomic="false" aria-relevant="additions" />;
}
