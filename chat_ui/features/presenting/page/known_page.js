// The last known state of the page: its data, its functions, and its elements.

import { presentation } from "./presentation.js";

/** Milliseconds between two looks at the page. */
export const LOOK_EVERY = 50;
// Timeout in milliseconds for the page to show a requested part.
const TIMEOUT = 10_000;

/**
 * @typedef {{ id: string, address: string, live: boolean, error: string, notice: string, sources: number }} Answer
 * @typedef {{ id: string, conversation: string, question: string, question_is_cut: boolean, answer: Answer }} Turn
 * @type {{ turns: Turn[], latest: Answer, hasEarlier: boolean, missing: string, isReady: boolean, isOtherLive: boolean,
 *   insteadOf: string, refusal: string, returnedAs: string, onUse?: (address: string, use: number) => void,
 *   onPoint?: (address: string, point: number) => void, onThoughts?: (address: string) => void, onClose?: () => void,
 *   onNew?: () => void, onEarlier?: () => void, goTo?: (conversation: string) => void }}
 */
export let page = {
  turns: [],
  latest: /** @type {any} */ ({}),
  hasEarlier: false,
  missing: "",
  isReady: false,
  isOtherLive: false,
  insteadOf: "",
  refusal: "",
  returnedAs: "",
};

export const learn = (/** @type {typeof page} */ known) => (page = known);

export const box = () => /** @type {HTMLTextAreaElement | null} */ (document.querySelector("#message"));

export function emptyBox() {
  const typed = box();
  if (!typed) return;
  typed.value = "";
  // The page stores the text of the box as a draft.
  typed.dispatchEvent(new Event("input", { bubbles: true }));
}

export const turnOf = (step) => page.turns.find(({ id }) => id === presentation().turns[step]);
export const answerOf = (turn) => (turn === page.turns.at(-1) ? page.latest : turn.answer);
export const textOf = ({ address }) =>
  /** @type {HTMLElement | null} */ (document.querySelector(`.answer-text[data-address="${CSS.escape(address)}"]`));

/** Whether `condition` became true before `signal` or the timeout. */
export function until(condition, signal) {
  return new Promise((resolve) => {
    const late = performance.now() + TIMEOUT;
    const look = () => {
      const found = condition();
      if (found || signal.aborted || performance.now() > late) {
        clearInterval(timer);
        resolve(!signal.aborted && Boolean(found));
      }
    };
    const timer = setInterval(look, LOOK_EVERY);
    look();
  });
}
