import { beforeEach, expect, test } from "bun:test";
import { rangesOf } from "../../chat_ui/page/sources/document_marks.js";
import { nearestRanges } from "../../chat_ui/page/sources/passage_marks.js";

beforeEach(() => {
  document.body.innerHTML = "";
});

function shown(html) {
  document.body.innerHTML = html;
  return document.body;
}

test("a sentence is found across elements, line breaks and hyphens", () => {
  const root = shown("<p>Before. The <b>annual</b> leave is twen-\nty days. After.</p>");
  expect(rangesOf(root, "The annual leave is twenty days").map(String)).toEqual([
    "The annual leave is twen-\nty days.",
  ]);
});

test("a sentence is found with its accents as letters or as characters of their own", () => {
  const sentence = "Le congé d'été dure déjà dix jours.";
  for (const form of ["NFC", "NFD"])
    for (const other of ["NFC", "NFD"]) {
      const root = shown(`<p>Avant. ${sentence.normalize(form)} Après.</p>`);
      expect(rangesOf(root, sentence.normalize(other)).map(String)).toEqual([sentence.normalize(form)]);
    }
});

test("a mostly present sentence is found close together", () => {
  const root = shown("<p>Employees may carry over five days of leave, said the handbook, until the end of March.</p>");
  const [range] = rangesOf(root, "Employees may carry over five days of leave until the end of March next year");
  expect(String(range)).toStartWith("Employees may carry over five days");
});

test("a missing sentence has no range", () => {
  expect(rangesOf(shown("<p>Something else.</p>"), "The annual leave is twenty days")).toEqual([]);
});

test("a part of a word or number is not a sentence", () => {
  const none = (text, sentence) => expect(rangesOf(shown(`<p>${text}</p>`), sentence)).toEqual([]);
  none("It is nonetheless so.", "None.");
  none("The fee for each of the members is 1500.", "The fee for each of the members is 150.");
  none("The fee for each of the members is 1,500.", "The fee for each of the members is 1.");
  none("25 days of leave are paid in each year.", "5 days of leave are paid in each year.");
  expect(rangesOf(shown("<p>Fees: none. 3 more.</p>"), "Fees: none.").map(String)).toEqual(["Fees: none."]);
});

test("a mark has all of its last letter and the stops of its script", () => {
  const texts = ["यह बहुत अच्छा दिन है।", "วันหยุดยี่สิบห้าวันต่อปี", "هل يحصل الموظفون على خمسة وعشرين يومًا؟", "ΗΜΕΡΕΣ ΑΔΕΙΑΣ."];
  for (const text of texts) expect(rangesOf(shown(`<p>A. ${text} B.</p>`), text).map(String)).toEqual([text]);
});

test("a mark of a cut or differing text ends where a sentence ends", () => {
  const text =
    "Buoys are red. They float for approx. 5 kg of load, says Dr. Roe, in (nearly) all of the waters. Ropes are long.";
  const whole = "They float for approx. 5 kg of load, says Dr. Roe, in (nearly) all of the waters.";
  const other = "Buoys float for approx. 5 kg of load, says Dr. Roe, in (nearly) all of them";
  const roots = [
    `<p>${text}</p>`,
    text
      .split(" ")
      .map((word) => `<span>${word}</span><br>`)
      .join(""),
  ];
  for (const root of roots) {
    const marks = (sentence) => rangesOf(shown(root), sentence).map((one) => String(one).replaceAll(" ", ""));
    for (const sentence of ["They float for approx. …", "They float for approx. 5 kg of load, says D…", whole, other])
      expect(marks(sentence)).toEqual([whole.replaceAll(" ", "")]);
    expect(marks("Buoys are red. …")).toEqual(["Buoysarered."]);
  }
  expect(rangesOf(shown("<p>Buoys are red</p><p>Ropes are long.</p>"), "Buoys are …").map(String)).toEqual([
    "Buoys are red",
  ]);
  for (const last of ["of 5 kg.", "for me.", "(it is so).", "to “water”.", "of “it.”"])
    expect(rangesOf(shown(`<p>Ropes. Buoys are ${last} Ropes are long.</p>`), "Buoys are …").map(String)).toEqual([
      `Buoys are ${last}`,
    ]);
  const endless = "and on ".repeat(100);
  expect(rangesOf(shown(`<p>Buoys are red. They go ${endless}.</p>`), "Buoys are red. They go …").map(String)).toEqual([
    "Buoys are red.",
  ]);
});

test("the place nearest to the control is marked", () => {
  const root = shown("<p>The same words. Other text between them.</p><p>The same words.<button>1</button></p>");
  const [range] = nearestRanges(root, "The same words", root.querySelector("button"));
  expect(range.startContainer.parentElement).toBe(root.lastElementChild);
});

test("the rows of a claim are marked after its lead-in, without the header", () => {
  const row = (...cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join("")}</tr>`;
  const table = `<table>${row("Tent", "Cost")}${row("Ridge", "9")}${row("Dome <button>2</button>", "12")}</table>`;
  const root = shown(`<p>Dome, 12. Costs <button>1</button>:</p>${table}`);
  const ranges = nearestRanges(root, "Costs:\nRidge, 9\nDome, 12", root.querySelector("button"));
  expect(ranges.map((range) => range.startContainer.nodeValue.trim())).toEqual(["Dome, 12. Costs", "Ridge", "Dome"]);
  expect(ranges.map((range) => range.endContainer.nodeValue.trim())).toEqual(["Dome, 12. Costs", "9", "12"]);
  expect(nearestRanges(root, "Elsewhere\nRidge, 9", root.querySelector("button"))).toEqual([]);
});

test("parts in other lines end where their lines end", () => {
  const lines = ["They float over five", "of each borrower", "of the floating buoys", "in the book"];
  const root = shown(lines.map((line) => `<span>${line}</span>`).join(""));
  expect(rangesOf(root, "They float over five of the floating buoys").map(String)).toEqual([lines[0], lines[2]]);
});

test("a passage without marks is found as a whole, and a passage around marks decides", () => {
  const twice = "Buoys are red and float. They are new. Buoys are red and float. They are old.";
  const place = (html) => rangesOf(shown(`<p>${twice}</p>`), html).map((range) => range.startOffset);
  expect(place("<mark>Buoys are red and float.</mark> They are old.")).toEqual([twice.lastIndexOf("Buoys")]);
  expect(place("They are new.<button>Show</button>")).toEqual([twice.indexOf("They are new")]);
  expect(place("<mark>Buoys are red and float.</mark>")).toEqual([]);
  expect(rangesOf(document.body, "")).toBeNull();
});
