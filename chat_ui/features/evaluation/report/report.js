// Sorts and filters the table of questions, and opens the answer of a row. Without the script, every answer is open.

const questionsTable = () => /** @type {HTMLTableElement} */ (document.querySelector(".questions"));
const rowsOf = (table) => /** @type {HTMLElement[]} */ ([...table.tBodies]);
/** The searched text of each row, from its first search on. */
const searched = new WeakMap();

function setOpen(row, isOpen) {
  row.querySelector(".opens").setAttribute("aria-expanded", String(isOpen));
  row.rows[1].ariaHidden = isOpen ? null : "true";
  const content = row.querySelector(".opened-content");
  if (isOpen) content.removeAttribute("hidden");
  else content.setAttribute("hidden", "until-found");
}

/** The sort key of a row in a column: a number, text, or null, which is always last. */
function keyOf(row, column, isWords) {
  const cell = row.rows[0].cells[column];
  if (isWords) return cell.textContent;
  return cell.dataset.sort === undefined ? null : Number(cell.dataset.sort);
}

function compare(one, other, collator) {
  if (one === null || other === null) return one === other ? 0 : null;
  return typeof one === "string" ? collator.compare(one, other) : one - other;
}

function sortBy(head) {
  const table = questionsTable();
  const isDescending = head.ariaSort === "ascending";
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", isDescending ? "descending" : "ascending");
  const collator = new Intl.Collator("en", { numeric: true });
  const keyed = rowsOf(table).map((row) => ({
    row,
    key: keyOf(row, head.cellIndex, head.dataset.column === "words"),
  }));
  keyed.sort((one, other) => {
    const found = compare(one.key, other.key, collator);
    if (found === null) return one.key === null ? 1 : -1;
    return isDescending ? -found : found;
  });
  table.append(...keyed.map((one) => one.row));
}

function textOf(row) {
  const known = searched.get(row);
  if (known !== undefined) return known;
  const parts = row.querySelectorAll(".opens, .asked, .truth, .answer-text, .source-title");
  const text = [...parts].map((part) => part.textContent.toLowerCase()).join("\n");
  searched.set(row, text);
  return text;
}

function filterRows() {
  const kind = /** @type {HTMLSelectElement} */ (document.getElementById("kind")).value;
  const field = /** @type {HTMLInputElement} */ (document.getElementById("words"));
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  const rows = rowsOf(questionsTable());
  let count = 0;
  for (const row of rows) {
    const isOfKind = !kind || row.dataset.kinds.split(" ").includes(kind);
    row.hidden = !isOfKind || !words.every((word) => textOf(row).includes(word));
    if (!row.hidden) count += 1;
  }
  const number = new Intl.NumberFormat("en");
  const shown = `${number.format(count)} of ${number.format(rows.length)} questions shown`;
  document.getElementById("shown").textContent = shown;
}

function openNamed() {
  const row = location.hash.startsWith("#question-") && document.getElementById(location.hash.slice(1));
  if (!row) return;
  row.hidden = false;
  setOpen(row, true);
  row.scrollIntoView({ block: "start" });
}

document.addEventListener("DOMContentLoaded", () => {
  const table = questionsTable();
  table.addEventListener("click", (event) => {
    const at = event.target instanceof Element ? event.target : null;
    const opener = at?.closest(".opens");
    const sorter = at?.closest(".sorts");
    if (opener) setOpen(opener.closest("tbody"), opener.getAttribute("aria-expanded") === "false");
    else if (sorter) sortBy(sorter.closest("th"));
  });
  // The browser's search has found text in a closed answer.
  table.addEventListener("beforematch", (event) => {
    if (event.target instanceof Element) setOpen(event.target.closest("tbody"), true);
  });
  document.getElementById("kind").addEventListener("change", filterRows);
  document.getElementById("words").addEventListener("input", filterRows);
  for (const row of rowsOf(table)) setOpen(row, false);
  filterRows();
  openNamed();
});
window.addEventListener("hashchange", openNamed);
