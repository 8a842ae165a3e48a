// A sheet that follows a finger towards its edge. Far enough, or flicked, it closes; else it springs back.

import { useEffect, useRef } from "react";
import { flushSync } from "react-dom";
import { hear } from "./hearing.js";
import { isNarrow } from "./narrow.js";

// Pixels that distinguish a pull from a tap, and pixels per millisecond that distinguish a flick from a pull.
const PULL = 8;
export const FLICK = 0.5;
// Milliseconds: the window of the speed measurement, the return animation, and the return of a sheet that stays open.
const LATELY = 100;
const SPRING = { duration: 180, easing: "ease-out" };
const RETURN = 3000;
const OWN = "input, [role=menu]";

function glide(sheet, from, to) {
  const isStill = matchMedia("(prefers-reduced-motion: reduce)").matches;
  return isStill ? null : sheet.animate([{ translate: from }, { translate: to }], SPRING);
}

function leave(sheet, to, onAway) {
  const from = sheet.style.translate;
  sheet.style.translate = to;
  const isAway = () => {
    onAway();
    // Without a connection the sheet is not closed.
    setTimeout(() => (sheet.style.translate = ""), RETURN);
  };
  const gliding = glide(sheet, from, to);
  if (gliding) gliding.finished.then(isAway, () => {});
  else isAway();
}

function rest(sheet, before) {
  sheet.style.translate = "";
  sheet.style.removeProperty("--pulled");
  const after = sheet.getBoundingClientRect();
  glide(sheet, `${before.left - after.left}px ${before.top - after.top}px`, "none");
}

/** The speed of the last moves in pixels per millisecond. */
function speedOf(moves, now) {
  const first = moves.find(({ time }) => now - time < LATELY);
  return first && now > first.time ? (moves.at(-1).by - first.by) / (now - first.time) : 0;
}

function follow(sheet, grip, direction, onEnd) {
  let pull = null;
  const down = (event) => {
    const isAtGrip = event.target.closest(grip) && !event.target.closest(OWN);
    if (!isAtGrip || event.button !== 0 || !event.isPrimary || !isNarrow()) return;
    const moves = [{ time: event.timeStamp, by: 0 }];
    pull = { id: event.pointerId, x: event.clientX, y: event.clientY, moves };
  };
  const move = (event) => {
    if (pull?.id !== event.pointerId) return;
    const [x, y] = direction();
    const [right, below] = [event.clientX - pull.x, event.clientY - pull.y];
    const by = x * right + y * below;
    if (pull.moves.length === 1) {
      if (Math.abs(x ? below : right) > PULL) pull = null;
      if (!pull || Math.abs(by) < PULL) return;
      // Pulling must not press an element.
      sheet.setPointerCapture(event.pointerId);
    }
    pull.moves.push({ time: event.timeStamp, by });
    sheet.style.translate = `${x * Math.max(0, by)}px ${y * Math.max(0, by)}px`;
    sheet.style.setProperty("--pulled", `${Math.max(0, -by)}px`);
  };
  const end = (event) => {
    if (pull?.id !== event.pointerId) return;
    const { moves } = pull;
    pull = null;
    if (moves.length === 1) return;
    const [x, y] = direction();
    const before = sheet.getBoundingClientRect();
    const size = x ? before.width : before.height;
    const { by } = moves.at(-1);
    const pulled = { by, part: by / size, speed: speedOf(moves, event.timeStamp) };
    const isAway = event.type === "pointerup" && flushSync(() => onEnd(pulled));
    if (isAway) leave(sheet, `${x * size}px ${y * size}px`, isAway);
    else rest(sheet, before);
  };
  return hear(sheet, { pointerdown: down, pointermove: move, pointerup: end, pointercancel: end });
}

/** The direction of a sheet that closes at the lower edge. */
export const down = () => /** @type {[number, number]} */ ([0, 1]);

/** Whether a sheet closes, by the pulled part of its size and the final speed. */
export const isFarAway = ({ part, speed }) => part > 1 / 3 || (part > 0 && speed > FLICK);

/**
 * Have the sheet of `region` follow a finger that pulls it by a `grip` in the `direction` of its edge. `onEnd` gets the
 * pull, and returns a function that closes the sheet, or null.
 * @param {{ current: HTMLElement | null }} region
 * @param {string} grip
 * @param {(sheet: HTMLElement) => [number, number]} direction
 * @param {(pulled: { by: number, part: number, speed: number }) => (() => void) | null} onEnd
 */
export function useDragging(region, grip, direction, onEnd) {
  const latest = useRef(onEnd);
  latest.current = onEnd;
  useEffect(() => {
    const sheet = region.current;
    return follow(
      sheet,
      grip,
      () => direction(sheet),
      (pulled) => latest.current(pulled),
    );
  }, []);
}
