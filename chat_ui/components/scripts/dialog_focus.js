// A dialog that many buttons open, or one elsewhere, gives the focus back to where it was when it opened, unless somebody
// else has taken it by then.

const openers = new WeakMap();

export const rememberOpener = (event) => openers.set(event.target, document.activeElement);

export const giveFocusBack = (event) => {
  if (document.activeElement === document.body) openers.get(event.target)?.focus({ preventScroll: true });
};
