// Types text into a box at a person's pace.

// Milliseconds for a letter, and for the pause after a word; and the maximum for a long question.
const LETTER = 38;
const PAUSE = 60;
const LONGEST = 6000;
// Milliseconds of a frame: faster letters are typed together.
const FRAME = 16;

const pace = (words) => Math.min(1, LONGEST / (words.length * LETTER + words.split(" ").length * PAUSE));

/**
 * Type `words` into `box`, or insert them at once with reduced motion. Resolves with whether they were completed.
 * `hurry` inserts the rest at once, `cancel` removes all.
 * @param {HTMLTextAreaElement} box
 * @param {string} words
 */
export function type(box, words) {
  let timer = 0;
  let settle = (_isWhole) => {};
  const { form } = box;
  // An incomplete question is never asked.
  const refuse = (event) => {
    event.preventDefault();
    event.stopPropagation();
  };
  const done = new Promise((resolve) => (settle = resolve));
  const finish = (isComplete) => {
    clearTimeout(timer);
    form?.removeAttribute("data-typing");
    form?.removeEventListener("submit", refuse, { capture: true });
    box.readOnly = false;
    box.value = isComplete ? words : "";
    settle(isComplete);
  };
  // Whole characters: half of a surrogate pair would show as a box.
  const letters = [...words];
  const faster = pace(words);
  const together = Math.ceil(FRAME / (faster * LETTER));
  const write = (count) => {
    box.value = letters.slice(0, count).join("");
    box.scrollTop = box.scrollHeight;
    if (count >= letters.length) {
      timer = setTimeout(() => finish(true), 4 * PAUSE);
      return;
    }
    const written = letters.slice(count, count + together);
    const pauses = PAUSE * written.filter((letter) => letter === " ").length;
    const time = faster * (LETTER * written.length * (0.6 + 0.8 * Math.random()) + pauses);
    timer = setTimeout(() => write(count + together), time);
  };
  form?.toggleAttribute("data-typing", true);
  form?.addEventListener("submit", refuse, { capture: true });
  box.readOnly = true;
  if (matchMedia("(prefers-reduced-motion: reduce)").matches) finish(true);
  else write(0);
  return { done, hurry: () => finish(true), cancel: () => finish(false) };
}
