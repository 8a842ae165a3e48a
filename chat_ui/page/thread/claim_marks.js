// The marks of an answer's claims, which the server makes after the text: in complete sentences while it streams, and in
// the whole answer at its end.

const MARK = ".claim-differs";
// Controls are not compared: an image may have replaced its button.
const CONTROLS = "button, .remote-image, img";

function textsOf(root) {
  const { FILTER_ACCEPT, FILTER_REJECT, FILTER_SKIP, SHOW_ELEMENT, SHOW_TEXT } = NodeFilter;
  const choose = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return FILTER_ACCEPT;
    return node.matches(CONTROLS) ? FILTER_REJECT : FILTER_SKIP;
  };
  const walker = document.createTreeWalker(root, SHOW_ELEMENT | SHOW_TEXT, choose);
  const texts = [];
  while (walker.nextNode()) texts.push(/** @type {Text} */ (walker.currentNode));
  return texts;
}

const wordsOf = (texts) => texts.map(({ data }) => data).join("");

const marksOf = (root) => Array.from(root?.querySelectorAll(MARK) ?? [], ({ textContent }) => textContent).join("\n");

// Only the marked words change, so focus, selection and the open citation stay.
function mark(block, start, { length, parentNode }) {
  let before = start;
  for (const text of textsOf(block)) {
    if (before < text.length) {
      const part = text.splitText(before);
      part.splitText(length);
      const shown = parentNode.cloneNode();
      part.replaceWith(shown);
      shown.append(part);
      return;
    }
    before -= text.length;
  }
}

/**
 * Mark the differing parts in the loaded text of the answer at `address`, if it is complete and their marks are. Those
 * of the growing answer stay, if they are right.
 */
export function markClaims(address) {
  const answer = document.querySelector(`.answer-text[data-status][data-address="${CSS.escape(address)}"]`);
  const shown = answer?.closest(".answer");
  if (!shown?.querySelector(".references")) return;
  const marked = new Map();
  for (const template of shown.querySelectorAll("template"))
    if (template.dataset.block) marked.set(Number(template.dataset.block), template.content);
  const blocks = [...answer.querySelectorAll(":scope > .block")];
  for (const [at, block] of blocks.entries()) {
    const content = marked.get(at - blocks.length);
    if (marksOf(block) === marksOf(content)) continue;
    const fresh = content ? textsOf(content) : [];
    // Another version's marks may still be there.
    if (content && wordsOf(fresh) !== wordsOf(textsOf(block))) continue;
    for (const old of block.querySelectorAll(MARK)) old.replaceWith(...old.childNodes);
    block.normalize();
    let start = 0;
    for (const text of fresh) {
      if (text.parentNode.matches?.(MARK)) mark(block, start, text);
      start += text.length;
    }
  }
}
