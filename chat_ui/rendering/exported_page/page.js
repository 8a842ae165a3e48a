// Opens the source of a citation in a panel beside the answer, with the sentences of its claim marked. Without this
// script the citations are links to a list under the answer. The file has the imported modules before it.

import { activate, markCitation } from "../../page/sources/claims.js";

const page = document.documentElement;
/** The list in the panel, with its former place and its opener. */
let shown = null;

const panelOf = () => /** @type {HTMLElement} */ (document.getElementById("panel"));

function markPassage(item, use) {
  activate(shown.list, "[data-active]", item);
  shown.list.classList.toggle("for-one-use", use !== undefined);
  for (const one of shown.list.querySelectorAll("mark[data-uses]"))
    one.classList.toggle("is-cited", one.dataset.uses.split(" ").includes(use));
}

function putBack() {
  if (!shown) return;
  shown.place.replaceWith(shown.list);
  shown = null;
}

function show(list, opener) {
  if (shown?.list !== list) {
    putBack();
    const place = document.createComment("");
    list.replaceWith(place);
    shown = { list, place, opener };
    list.open = true;
    panelOf().querySelector(".panel-content").replaceChildren(list);
  }
  shown.opener = opener;
  panelOf().hidden = false;
  page.classList.add("has-panel");
}

function close() {
  if (!shown) return;
  const { opener } = shown;
  putBack();
  panelOf().hidden = true;
  page.classList.remove("has-panel");
  markCitation(null);
  opener?.focus({ preventScroll: true });
}

function open(item, opener, citation) {
  show(item.closest(".answer-sources"), opener);
  markPassage(item, citation?.dataset.use);
  markCitation(citation, citation?.dataset.claim);
  item.focus({ preventScroll: true });
  const panel = panelOf();
  item.scrollIntoView({ block: "start" });
  const cited = item.querySelector(citation ? "mark.is-cited" : "mark");
  if (cited && cited.getBoundingClientRect().bottom > panel.getBoundingClientRect().bottom)
    cited.scrollIntoView({ block: "center" });
  // On a narrow page the sheet covers the pressed element.
  (citation ?? opener)?.scrollIntoView({ block: "nearest" });
}

function openCitation(citation) {
  const item = document.getElementById(citation.hash.slice(1));
  if (item) open(item, citation, citation);
}

function pressed(event) {
  const at = event.target instanceof Element ? event.target : null;
  const citation = at?.closest("a.citation");
  const card = at?.closest("button[data-point]");
  const warning = at?.closest("button[data-first-use]");
  const way = at?.closest(".back-links a");
  if (citation) openCitation(citation);
  else if (card) {
    const list =
      card.closest(".answer-sources") ?? card.closest(".answer").querySelector(".answer-sources") ?? shown?.list;
    const item = list?.querySelector(`[data-source="${card.dataset.point}"]`);
    open(item ?? list.querySelector("li"), card, null);
  } else if (warning) {
    const uses = warning.closest(".answer").querySelectorAll("a.citation");
    const missing = [...uses].find((one) => one.dataset.use === warning.dataset.firstUse);
    if (missing) openCitation(missing);
  } else if (way) {
    const back = document.getElementById(way.hash.slice(1));
    if (back) markCitation(back, back.dataset.claim);
    back?.scrollIntoView({ block: "center" });
    back?.focus({ preventScroll: true });
  } else if (at?.closest(".panel-close")) close();
  else return;
  event.preventDefault();
}

function openAddressed() {
  const item = location.hash && document.getElementById(location.hash.slice(1))?.closest(".sources > li");
  if (item) open(item, null, null);
}

page.classList.add("has-script");
document.addEventListener("click", pressed);
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && shown) {
    event.preventDefault();
    close();
  }
});
document.addEventListener("DOMContentLoaded", openAddressed);
