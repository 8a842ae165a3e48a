// The blocks of a streaming answer.

const ANEW = -1;

/**
 * Update the nodes of `shown` from `old` on to those of `fresh`, changing only differences.
 * @param {Node & ParentNode} shown
 * @param {Node} fresh
 * @param {any} old
 */
export function reconcile(shown, fresh, old = shown.firstChild) {
  for (let next = fresh.firstChild; next; ) {
    const node = next;
    next = next.nextSibling;
    if (!old) {
      shown.append(node);
      continue;
    }
    const following = old.nextSibling;
    if (!(old.sentAs ?? old).isEqualNode(node)) {
      const sameElement =
        old.nodeType === 1 && old.nodeName === node.nodeName && old.cloneNode().isEqualNode(node.cloneNode());
      if (sameElement) reconcile(old, node);
      else if (old.nodeType === 3 && node.nodeType === 3) old.nodeValue = node.nodeValue;
      else old.replaceWith(node);
    }
    old = following;
  }
  while (old) {
    const following = old.nextSibling;
    old.remove();
    old = following;
  }
}

// A block of a streaming answer. Settled content is not changed again; the open part follows it: in `place`, from the
// node after `settled` on.
export class StreamingBlock {
  constructor(element) {
    this.element = element;
    this.begin();
  }

  begin() {
    this.place = this.element;
    this.settled = null;
    this.open = "";
  }

  /**
   * Apply a change of the open part without showing it.
   * @param {number} kept - characters of it that stay, `ANEW` where the block begins anew
   * @param {string} html - the text after those
   */
  change(kept, html) {
    if (kept === ANEW) this.begin();
    this.open = this.open.slice(0, Math.max(kept, 0)) + html;
  }

  show() {
    const template = document.createElement("template");
    template.innerHTML = this.open;
    const first = this.settled ? this.settled.nextSibling : this.place.firstChild;
    reconcile(this.place, template.content, first);
  }

  /**
   * Show the open part and settle it.
   * @param {number} depth - nested elements at the end of the block, around the next text
   */
  settle(depth) {
    this.show();
    this.place = this.element;
    for (let level = 0; level < depth; level++) this.place = this.place.lastElementChild;
    this.settled = this.place.lastChild;
    this.open = "";
  }
}
