// Requests that say what a person thinks of an answer, one after the other.

import { t } from "../languages/language.js";
import "../languages/later.js";
import { request, wordsOf } from "../conversations/requests.js";

let last = Promise.resolve();

/** What the person thinks once this is sent, after all before it was answered; rejects with words for the person. */
export function send(method, address, body) {
  const sent = last.then(() => request(address, method, body)).then((response) => response.json());
  last = sent.then(
    () => {},
    () => {},
  );
  return sent.catch((why) =>
    Promise.reject(
      wordsOf(why) ?? t("What you think of it cannot be kept at the moment. Try again in a little while."),
    ),
  );
}

/** The words for the person where what was sent is refused, else nothing. */
export const problemOf = (sent) =>
  sent.then(
    () => "",
    (words) => words,
  );

/** Rate the answer at `address`, or take that back with an empty rating. */
export const rate = (address, rating, details) =>
  rating ? send("PUT", `${address}/feedback`, { rating, ...details }) : send("DELETE", `${address}/feedback`);
