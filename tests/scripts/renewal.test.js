import { beforeEach, expect, test } from "bun:test";
import { renew } from "../../chat_ui/page/sources/renewal.js";

const item = (number, content = "") => `<li data-source="${number}"><button>Open</button>${content}</li>`;
const group = (kind, ...items) =>
  `<section class="sources-group ${kind}"><h3>Some</h3><ul class="sources">${items.join("")}</ul></section>`;

let region;
let root;

function shown(html) {
  root.innerHTML = html;
  return root;
}

beforeEach(() => {
  document.body.innerHTML = '<section class="side-panel" tabindex="-1"><div></div></section>';
  region = document.body.firstElementChild;
  root = region.firstElementChild;
});

const button = (number) => root.querySelector(`[data-source="${number}"] button`);

test("a source's button keeps the focus in another group", () => {
  shown(group("sources-retrieved", item(0), item(1)));
  button(1).focus();
  const before = button(1);
  renew(root, group("sources-cited", item(1)) + group("sources-retrieved", item(0)));
  expect(document.activeElement).toBe(button(1));
  expect(before.isConnected).toBe(false);
});

test("the focus is not taken from other elements", () => {
  shown(group("sources-retrieved", item(0)));
  region.focus();
  renew(root, group("sources-cited", item(0)));
  expect(document.activeElement).toBe(region);
});

test("the region has the focus if the focused control is gone", () => {
  shown(group("sources-retrieved", item(0), item(1)));
  button(1).focus();
  renew(root, group("sources-cited", item(0)));
  expect(document.activeElement).toBe(region);
});

test("an unfolded item keeps the focus and the whole passage", () => {
  const folded = '<div class="folded"><div class="passage">Buoys</div><button data-unfold="1">Show all</button></div>';
  const complete = '<div class="passage">Buoys are red.</div><p class="passage-cut">9 more</p>';
  shown(group("sources-retrieved", item(0), item(1, complete)));
  const source = root.querySelector('[data-source="1"]');
  source.tabIndex = -1;
  source.focus();
  renew(root, group("sources-cited", item(1, folded)) + group("sources-retrieved", item(0, folded)));
  expect(root.querySelector('[data-source="1"]').innerHTML).toBe(`<button>Open</button>${complete}`);
  expect(document.activeElement).toBe(root.querySelector('[data-source="1"]'));
  expect(root.querySelector('[data-source="0"] .folded')).not.toBeNull();
});

const step = (title, open = "") =>
  `<li><h2>${title}</h2><details class="thought-json" data-json="0"${open}><summary>As JSON</summary></details></li>`;

test("open details stay open with their content, by place", () => {
  const reasoning = (words, open = "") =>
    `<section class="thoughts-reasoning"><details${open}><summary>${words}</summary><p>${words}</p></details></section>`;
  shown(`<ol class="thoughts">${step("One")}${step("Two", " open")}</ol>${reasoning("Few", " open")}`);
  const loaded = document.createElement("input");
  root.querySelector("details[open]").append(loaded);
  root.querySelector("details[open]").loaded = "{}";
  renew(root, `<ol class="thoughts">${step("One")}${step("Two")}${step("Three")}</ol>${reasoning("Many")}`);
  expect(Array.from(root.querySelectorAll("details"), ({ open }) => open)).toEqual([false, true, false, true]);
  expect(root.querySelectorAll("details")[1].lastElementChild).toBe(loaded);
  expect(root.querySelectorAll("details")[1].loaded).toBe("{}");
  expect(root.textContent).toContain("Many");
});

test("a field in a loaded part keeps the focus", () => {
  shown(`<ol class="thoughts">${step("One", " open")}</ol>`);
  const details = root.querySelector("details");
  const field = document.createElement("input");
  details.append(field);
  details.loaded = "{}";
  field.focus();
  renew(root, `<ol class="thoughts">${step("One")}</ol>`);
  expect(document.activeElement).toBe(field);
  expect(root.contains(field)).toBe(true);
});

test("a loaded remote image stays", () => {
  const place = '<span class="remote-image"><a href="https://a.example/b.png">Buoy</a><button>Show</button></span>';
  shown(place);
  const image = document.createElement("img");
  image.sentAs = root.firstElementChild.cloneNode(true);
  root.firstElementChild.replaceWith(image);
  renew(root, `<p>${place}</p>`);
  expect(root.querySelector("p").firstElementChild).toBe(image);
});

test("a scrolled part stays scrolled", () => {
  const lines = (rows) => `<dl></dl><div class="table-scroll" tabindex="0"><table>${rows}</table></div>`;
  shown(lines("<tr></tr>"));
  root.querySelector(".table-scroll").scrollTop = 30;
  renew(root, `<p>More</p>${lines("<tr></tr><tr></tr>")}`);
  expect(root.querySelector(".table-scroll").scrollTop).toBe(30);
});
