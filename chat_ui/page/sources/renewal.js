// Replaces a fragment by a later version, and keeps its reader's state: the focus, the scroll position, and opened,
// expanded or loaded parts.

const REGION = ".side-panel";
// Scrolling elements in a fragment are focusable, so that keys scroll them.
const SCROLLED = "[tabindex='0']";
const READ = "li, tr, h3";

const alike = ({ children }, element) =>
  [...children].filter(
    (one) => one.localName === element.localName && one.getAttribute("class") === element.getAttribute("class"),
  );

// The element of `fresh` at the position of `element` in `root`. A source is identified by its number, in any group.
function twinOf(element, root, fresh) {
  if (element === root) return fresh;
  if (element.dataset.source) return fresh.querySelector(`[data-source="${element.dataset.source}"]`);
  const parent = twinOf(element.parentElement, root, fresh);
  return parent && alike(parent, element)[alike(element.parentElement, element).indexOf(element)];
}

function keepUnfolded(root, fresh) {
  for (const button of fresh.querySelectorAll(".folded > [data-unfold]")) {
    const source = `[data-source="${button.dataset.unfold}"]`;
    const unfolded = root.querySelectorAll(`${source} > .passage, ${source} > .passage-cut`);
    if (unfolded.length) button.parentElement.replaceWith(...unfolded);
  }
}

function keepImages(root, fresh) {
  for (const image of [...root.querySelectorAll("img")].filter(({ sentAs }) => sentAs)) {
    const places = [...fresh.querySelectorAll(".remote-image")];
    places.find((place) => place.isEqualNode(image.sentAs))?.replaceWith(image);
  }
}

// The loaded content of an opened part stays until it is loaded again.
function keepLoaded(details, twin) {
  if (!twin || !details.loaded) return;
  twin.loaded = details.loaded;
  twin.append(...[...details.children].slice(1));
}

function isInView(element, region) {
  const [place, view] = [element.getBoundingClientRect(), region.getBoundingClientRect()];
  return place.height > 0 && place.top >= view.top && place.top < view.bottom;
}

// The focused element, if it is in the replaced part or later in the same region.
function focusedFrom(root, region) {
  const active = document.activeElement;
  const isBelow = root.compareDocumentPosition(active) & Node.DOCUMENT_POSITION_FOLLOWING;
  return root.contains(active) || (isBelow && region?.contains(active)) ? active : null;
}

// The element that keeps its position. A reader at the beginning stays there.
function heldPlace(root, region) {
  if (!region?.scrollTop) return undefined;
  const places = [focusedFrom(root, region), ...root.querySelectorAll(READ)];
  return places.find((element) => element && isInView(element, region));
}

function focusAgain(focused, twin, region) {
  if (twin && focused.hasAttribute("tabindex")) twin.tabIndex = focused.tabIndex;
  (twin ?? region)?.focus({ preventScroll: true });
}

/** Show `html` in `root`, in place of its earlier version. */
export function renew(root, html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  const fresh = template.content;
  const region = root.closest(REGION);
  const focused = root.contains(document.activeElement) ? document.activeElement : null;
  const held = heldPlace(root, region);
  const top = held?.getBoundingClientRect().top;
  const opened = [...root.querySelectorAll("details[open]")];
  const scrolled = [...root.querySelectorAll(SCROLLED)].map((element) => [
    element,
    { scrollTop: element.scrollTop, scrollLeft: element.scrollLeft },
  ]);
  const known = [focused, root.contains(held) && held, ...opened, ...scrolled.map(([element]) => element)].filter(
    Boolean,
  );
  const twins = new Map(known.map((element) => [element, twinOf(element, root, fresh)]));
  const now = (element) => (element?.isConnected ? element : twins.get(element));

  keepUnfolded(root, fresh);
  keepImages(root, fresh);
  for (const details of opened) keepLoaded(details, twins.get(details));
  root.replaceChildren(fresh);

  for (const details of opened.map(now)) if (details) details.open = true;
  for (const [element, place] of scrolled) Object.assign(now(element) ?? {}, place);
  if (focused) focusAgain(focused, now(focused), region);
  if (now(held)) region.scrollTop += now(held).getBoundingClientRect().top - top;
}
