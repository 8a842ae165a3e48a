// Two columns that scroll together: equal questions meet at their place at the top, and the text between two questions
// moves in proportion. The column under the reader's pointer, finger or focus leads; text that arrives moves neither.

import { hear } from "../../../page/shared/hearing.js";
import { placeOf } from "../../../page/thread/thread.jsx";
import { pairsOf } from "./pairs.js";

/**
 * The place in the other column for the start of the view, in pixels from its current place: `stops` are the same
 * points of both columns in order, in pixels from their places in each view.
 * @param {number[]} stops
 * @param {number[]} others
 */
export function placeBetween(stops, others) {
  // The question of a short answer meets the other one, not its end.
  const after = stops.findIndex((stop) => stop > -1);
  if (after === 0) return others[0];
  if (after < 0) return others[others.length - 1];
  const [from, to] = [stops[after - 1], stops[after]];
  return others[after - 1] + (others[after] - others[after - 1]) * Math.min(1, -from / (to - from));
}

const questionsOf = (view) =>
  [...view.querySelectorAll(".question-text")].map((text) => ({
    place: text.closest("article"),
    question: text.textContent,
  }));

// The beginning, the paired questions and the end, the last two never beyond the farthest place of the view.
function stopsOf(view, questions) {
  const at = view.getBoundingClientRect();
  const text = view.firstElementChild.getBoundingClientRect();
  const end = text.bottom - at.bottom;
  const tops = questions.map((question) =>
    Math.min(question.getBoundingClientRect().top - at.top - placeOf(view, question), end),
  );
  return [text.top - at.top, ...tops, end];
}

function follow(leading, following) {
  const pairs = pairsOf(questionsOf(leading), questionsOf(following));
  const placesOf = (side) => pairs.map((pair) => pair[side].place);
  following.scrollTop += placeBetween(stopsOf(leading, placesOf(0)), stopsOf(following, placesOf(1)));
}

/** Scroll both threads under `root` together; returns a function that ends this. */
export function scrollTogether(root) {
  let leading = null;
  const lead = (event) => (leading = event.target.closest(".column")?.querySelector(".thread") ?? null);
  const scroll = (event) => {
    const threads = [...root.querySelectorAll(".column .thread")];
    if (event.target !== leading || threads.length < 2) return;
    follow(leading, threads[threads[0] === leading ? 1 : 0]);
  };
  const starts = { wheel: lead, touchstart: lead, pointerdown: lead, keydown: lead, focusin: lead };
  return hear(root, { ...starts, scroll }, { capture: true, passive: true });
}
