import { expect, test } from "bun:test";
import { find } from "../../chat_ui/page/sources/finding.js";
import { letters } from "../../chat_ui/page/sources/passage_marks.js";

const LEAVE = "Employees receive twenty-five days of paid annual leave in each calendar year.";

// The found parts of a sentence in a text, without spaces and punctuation.
function found(text, sentence, before = "", after = "", within = undefined) {
  const shown = letters(text);
  const place = find(shown, letters(sentence), letters(before), letters(after), within);
  return place?.parts.map((part) => shown.slice(...part)) ?? null;
}

test("hyphens, ligatures, soft hyphens and missing characters do not matter", () => {
  const texts = [
    "Em-\nployees receive twenty-five days of paid an-\nnual leave in each calen-\ndar year.",
    "Em\u00adployees\u00a0receive twenty\u2011five days of paid annual leave in each calendar year.",
    "Em ployees receive twenty-\uFFFDve days of paid annual leave in each calendar year.",
  ];
  for (const text of texts) expect(found(`Before. ${text} After.`, LEAVE)).toHaveLength(1);
  expect(found("The ofﬁce ﬂoor plan deﬁnes ﬁve workﬂows.", "The office floor plan defines five workflows.")).toEqual([
    "theofficefloorplandefinesfiveworkflows",
  ]);
});

test("a footer or another column within a sentence is left out", () => {
  const footer = "Company handbook 2026 - Page 12 of 40 - Confidential - ";
  const [start, end] = [LEAVE.slice(0, 43), LEAVE.slice(43)];
  expect(found(`${start}${footer}${end}`, LEAVE)).toEqual([letters(start), letters(end)]);
  const columns =
    "Employees receive twenty- Sick leave is granted for five days of paid annual leave a period of six weeks after in " +
    "each calendar year. the first day.";
  expect(found(columns, LEAVE)).toEqual(["employeesreceivetwenty", "fivedaysofpaidannualleave", "ineachcalendaryear"]);
});

test("a repeated sentence is found where its passage is", () => {
  const title = "Annual leave entitlement of employees";
  const contents = `Contents 3.1 ${title} .... 12 3.2 Sick leave .... 14 `;
  const text = letters(`${contents} 3.1 ${title} Each has 25 days.`);
  const place = find(text, letters(title), "31", letters("Each has 25 days."));
  expect(place.parts[0][0]).toBe(text.lastIndexOf(letters(title)));
  const sentence = "Revenue grew by 12 % in the third quarter.";
  const report = letters(`Figure 2: ${sentence} (chart) Last year was flat. ${sentence} Costs fell.`);
  const cited = find(report, letters(sentence), letters("Last year was flat."), letters("Costs fell."));
  expect(cited.parts[0][0]).toBe(report.lastIndexOf(letters(sentence)));
  // Without the passage, or with it at two places where it differs, neither is certain.
  expect(find(report, letters(sentence))).toBeNull();
  expect(find(report, letters(sentence), letters("Elsewhere, it is said:"))).toBeNull();
  // A whole passage that is repeated is found at its first place.
  const whole = `Last year was flat. ${sentence} Costs fell.`;
  const twice = find(letters(`${whole} ${whole}`), letters(sentence), letters("Last year was flat."), "costsfell");
  expect(twice.parts[0][0]).toBe(letters("Last year was flat.").length);
});

test("the whole sentence wins over an earlier beginning of it", () => {
  const start = "The standing trustee must file the annual report with the ";
  const between = "Other text follows here for a while and says nothing of use to anyone at all today. ".repeat(6);
  const text = letters(`${start}court. ${between}${start}United States Trustee by Mai 1.`);
  expect(find(text, letters(`${start}United States Trustee by May 1.`)).parts[0][0]).toBe(
    text.lastIndexOf("thestanding"),
  );
});

test("a sentence on a named page wins over the next page, and may continue there", () => {
  const pages = ["Notes. Employees receive twenty-five days of paid", "annual leave in each calendar year. More."];
  const first = letters(pages[0]).length;
  expect(found(pages.join(" Footer 3. Header 4. "), LEAVE, "", "", first)).toHaveLength(2);
  const twice = letters(`${LEAVE} Here. And there. ${LEAVE}`);
  expect(find(twice, letters(LEAVE), letters("And there."), "", letters(LEAVE).length).parts[0][0]).toBe(0);
  // Half of a sentence is not the sentence.
  expect(found(pages[0], LEAVE)).toBeNull();
});

test("other numbers, a word of a short sentence, and another sentence are not found", () => {
  const revenue = (year, sum) => `In ${year} the total revenue of the group was ${sum} million euros in all regions.`;
  expect(found(revenue(2024, 12.4), revenue(2025, 13.4))).toBeNull();
  expect(found(revenue(2024, 12.4), revenue(2024, 12.4))).toHaveLength(1);
  for (const [sum, other] of [
    [150, 1500],
    [15, 125],
    [15, 315],
    [1, "1,234,567"],
  ]) {
    expect(found(revenue(2024, other), revenue(2024, sum))).toBeNull();
    expect(found(revenue(2024, sum), revenue(2024, other))).toBeNull();
  }
  const cut = `In each year, all employees of the group receive 25 | Page 12 of 40 | ${LEAVE}`;
  expect(found(cut, `In each year, all employees of the group receive 25 ${LEAVE}`)).toHaveLength(2);
  expect(found("It is nonetheless so. Total 12.", "None.", "Fees?", "Ask the office.")).toBeNull();
  expect(found("Fees? None. Ask the office.", "None.", "Fees?", "Ask the office.")).toEqual(["none"]);
  expect(found("Something else.", LEAVE)).toBeNull();
});
