// The one live region of the page: everything that a screen reader announces without moving to it is said here. An
// announcement stands for a second, and is short enough to be listened to: the rest waits.

import { useEffect } from "react";

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

const lengthOf = (runs) => runs.reduce((sum, { words }) => sum + words.length, 0);

function lineOf(runs) {
  const line = document.createElement("p");
  const { lang: first } = runs[0];
  if (first) line.lang = first;
  for (const { words, lang } of runs) {
    const place = lang === first ? line : line.appendChild(document.createElement("span"));
    if (place !== line) place.lang = lang;
    place.append(words);
  }
  return line;
}

function say() {
  const region = document.getElementById(ID);
  if (!region) return;
  for (;;) {
    const queue = ofPage.length > 0 || endSound ? ofPage : ofAnswer;
    if (queue.length === 0 || (standing > 0 && standing + lengthOf(queue[0].runs) > MOST_CHARACTERS)) return;
    const { runs } = queue.shift();
    const line = lineOf(runs);
    region.append(line);
    standing += lengthOf(runs);
    setTimeout(() => {
      line.remove();
      standing -= lengthOf(runs);
      say();
    }, STAYS);
  }
}

export function announce(words) {
  ofPage.push({ runs: [{ words }] });
  say();
}

/**
 * Reads text of an answer after the text before it, each run of it in its language, where that is known.
 * @param {{ words: string, lang?: string }[]} runs
 * @param {string} arm - the arm of a comparison that it is in, if any
 */
export function recite(runs, arm = "") {
  ofAnswer.push({ runs, arm });
  say();
}

// Drops the waiting text of the answer in an arm: another answer begins, or this one is no longer on the page.
export function hush(arm = "") {
  const others = ofAnswer.filter((one) => one.arm !== arm);
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
