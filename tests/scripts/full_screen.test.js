import { beforeEach, expect, test } from "bun:test";
import { fillScreen, hearLeaving, leaveScreen } from "../../chat_ui/features/presenting/page/full_screen.js";

// The browser does later what it is asked to.
const asked = [];
let shown = null;
let left = 0;
Object.defineProperties(document, {
  fullscreenEnabled: { value: true },
  fullscreenElement: { get: () => shown },
});
document.documentElement.requestFullscreen = async () => void asked.push(document.documentElement);
document.exitFullscreen = async () => void asked.push(null);

function happen() {
  shown = asked.shift();
  document.dispatchEvent(new Event("fullscreenchange", { bubbles: true }));
}

beforeEach(() => {
  leaveScreen();
  while (asked.length > 0) happen();
  left = 0;
  hearLeaving(() => {
    left += 1;
  });
});

test("a person who leaves full screen is told", () => {
  fillScreen();
  happen();
  asked.push(null);
  happen();
  expect(left).toBe(1);
});

test("a presentation that begins before the screen of the last one is left fills it again", () => {
  fillScreen();
  happen();
  leaveScreen();
  fillScreen();
  expect(asked).toEqual([null]);
  happen();
  happen();
  expect([shown, left]).toEqual([document.documentElement, 0]);
});

test("full screen that comes after the end of the presentation is left", () => {
  fillScreen();
  leaveScreen();
  happen();
  happen();
  expect([shown, asked.length, left]).toEqual([null, 0, 0]);
});
