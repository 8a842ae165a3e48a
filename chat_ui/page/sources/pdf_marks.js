// Draws the mark of a passage on a page of a PDF: lines that touch are one shape.

import { element } from "../shared/element.js";

// Parts of a line's height: the overlap of boxes in a line, the gap between them, and the gap between lines.
const IN_LINE = 0.5;
const BESIDE = 3;
const BELOW = 1.5;
// Pixels around the text.
const PADDING = 2;

/** @typedef {{ left: number, top: number, right: number, bottom: number }} Box */

const tallness = ({ top, bottom }) => bottom - top;
const width = ({ left, right }) => right - left;

// The part of the lower box's height that two boxes share, and the gap between them across.
const shared = (one, other) =>
  (Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top)) / Math.min(tallness(one), tallness(other));
const gapAcross = (one, other) => Math.max(one.left, other.left) - Math.min(one.right, other.right);
const gapBelow = (one, other) => Math.max(one.top, other.top) - Math.min(one.bottom, other.bottom);

/** @returns {Box} */
const around = (one, other) => ({
  left: Math.min(one.left, other.left),
  top: Math.min(one.top, other.top),
  right: Math.max(one.right, other.right),
  bottom: Math.max(one.bottom, other.bottom),
});

/** @returns {Box} */
const turned = ({ left, top, right, bottom }) => ({ left: top, top: left, right: bottom, bottom: right });

/**
 * The shapes of boxes in the order of their text, each as its lines from top to bottom.
 * @param {Box[]} boxes
 * @returns {Box[][]}
 */
function shapesOf(boxes) {
  /** @type {Box[][]} */
  const shapes = [];
  for (const box of boxes) {
    const shape = shapes.at(-1);
    const last = shape?.at(-1);
    if (last && shared(last, box) >= IN_LINE && gapAcross(last, box) < BESIDE * tallness(box))
      shape[shape.length - 1] = around(last, box);
    else if (last && gapAcross(last, box) < 0 && gapBelow(last, box) < BELOW * tallness(box)) shape.push(box);
    else shapes.push([box]);
  }
  return shapes.map((shape) => shape.sort((one, other) => one.top - other.top));
}

/**
 * The path around boxes in the order of their text, for an SVG. On pages where the text goes down, lines are columns.
 * @param {Box[]} boxes
 */
export function outlineOf(boxes) {
  const isTurned = boxes.reduce((sum, box) => sum + tallness(box) - width(box), 0) > 0;
  const point = (across, along) =>
    (isTurned ? [along, across] : [across, along]).map((one) => one.toFixed(1)).join(" ");
  const paths = shapesOf(isTurned ? boxes.map(turned) : boxes).map((lines) => {
    const edges = lines.map((line, index) => (index ? (lines[index - 1].bottom + line.top) / 2 : line.top));
    const sides = lines.map((line, index) => ({ ...line, top: edges[index], bottom: edges[index + 1] ?? line.bottom }));
    const down = sides.flatMap(({ right, top, bottom }) => [point(right, top), point(right, bottom)]);
    const up = sides.toReversed().flatMap(({ left, top, bottom }) => [point(left, bottom), point(left, top)]);
    return `M${[...down, ...up].join("L")}Z`;
  });
  return paths.join("");
}

// Puts the text of a range into elements that screen readers know as marked.
function markText(range) {
  const walker = document.createTreeWalker(range.commonAncestorContainer, NodeFilter.SHOW_TEXT);
  const texts = [];
  for (let node = walker.currentNode; node; node = walker.nextNode())
    if (node.nodeType === Node.TEXT_NODE && range.intersectsNode(node)) texts.push(node);
  const { startContainer, startOffset, endContainer, endOffset } = range;
  return texts.flatMap((node) => {
    const part = document.createRange();
    part.setStart(node, node === startContainer ? startOffset : 0);
    part.setEnd(node, node === endContainer ? endOffset : node.length);
    if (!/\S/.test(String(part))) return [];
    const made = element("mark");
    part.surroundContents(made);
    return [made];
  });
}

/**
 * Mark ranges in the text of a page, and draw one mark below it.
 * @param {HTMLElement} sheet
 * @param {HTMLElement} text
 * @param {Range[]} ranges
 * @returns {DOMRect | null} the box of the drawn mark
 */
export function drawMark(sheet, text, ranges) {
  // Marks of later text leave the places of earlier ranges.
  const marks = ranges.toReversed().flatMap((range) => markText(range).toReversed());
  if (!marks.length) return null;
  const { left, top } = sheet.getBoundingClientRect();
  const boxes = marks
    .toReversed()
    .flatMap((one) => [...one.getClientRects()])
    .map((box) => ({
      left: box.left - left - PADDING,
      top: box.top - top - PADDING,
      right: box.right - left + PADDING,
      bottom: box.bottom - top + PADDING,
    }));
  const path = `<path stroke-linejoin="round" d="${outlineOf(boxes)}"/>`;
  text.insertAdjacentHTML("beforebegin", `<svg aria-hidden="true">${path}</svg>`);
  return sheet.querySelector("path").getBoundingClientRect();
}
