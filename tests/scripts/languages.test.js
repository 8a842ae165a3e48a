import { expect, test } from "bun:test";
import { isSame, markLanguages, markPassages } from "../../chat_ui/components/speech/languages.js";
import { SHORT_TEXTS } from "./short_texts.js";

function answer(...blocks) {
  document.body.innerHTML = `<div>${blocks.map((block) => `<div>${block}</div>`).join("")}</div>`;
  return document.body.firstElementChild;
}

const FRENCH = "<p>Les employés ont droit à vingt-cinq jours de congés payés pendant chaque année civile.</p>";
const ENGLISH = "<p>The employees have a right to twenty-five days of leave in each year.</p>";
const HEBREW = "<p>העובדים זכאים לעשרים וחמישה ימי חופשה בתשלום בכל שנה קלנדרית מלאה.</p>";

test("an answer in the page's language is not marked", async () => {
  const root = answer(ENGLISH);
  await markLanguages(root);
  expect(root.outerHTML).not.toContain('lang="');
});

test("an answer in another language is marked with it as a whole", async () => {
  const root = answer(FRENCH, FRENCH);
  await markLanguages(root);
  expect([root.lang, ...Array.from(root.children, ({ lang }) => lang)]).toEqual(["fr", "", ""]);
});

test("code in an answer of another language stays in the page's", async () => {
  const root = answer(FRENCH, '<div class="code-block"><code>print</code></div>');
  await markLanguages(root);
  expect(root.lastElementChild.lang).toBe("en");
});

test("a passage that runs from right to left is set so", async () => {
  document.body.innerHTML = `<div><div class="passage">${HEBREW}</div></div>`;
  await markPassages(document.body);
  const { lang, dir } = document.querySelector(".passage");
  expect([lang, dir]).toEqual(["he", "rtl"]);
});

test("a language is the same under each of its names, in each script and region", () => {
  for (const [one, other] of [
    ["nb-NO", "no"],
    ["nn", "nb"],
    ["fil-PH", "tl"],
    ["cmn-Hans-CN", "zh-Hans"],
    ["iw-IL", "he"],
    ["pt_BR", "pt"],
    ["EN-us", "en-GB"],
  ])
    expect([one, other, isSame(one, other)]).toEqual([one, other, true]);
  for (const [one, other] of [
    ["no", "nl"],
    ["fil", "fi"],
    ["de", "en"],
  ])
    expect([one, other, isSame(one, other)]).toEqual([one, other, false]);
});

test("a text in the page's language is not marked where the detector names it otherwise", async () => {
  document.documentElement.lang = "nb";
  const root = answer("<p>Bøyene er røde og flyter på vannet. De blir sett etter hvert år av kommunen.</p>");
  await markLanguages(root);
  document.documentElement.lang = "en";
  expect(root.lang).toBe("");
  await markLanguages(root);
  expect(root.lang).toBe("no");
});

test("a text that is too short to tell is not marked", async () => {
  const root = answer("<p>Bonjour</p>");
  await markLanguages(root);
  expect(root.lang).toBe("");
});

// The language that is told of each short text; "" where none is.
async function told() {
  const all = Object.entries(SHORT_TEXTS).flatMap(([language, texts]) => texts.map((text) => ({ language, text })));
  for (const one of all) {
    const root = answer("<p></p>");
    root.querySelector("p").textContent = one.text;
    await markLanguages(root);
    one.told = root.lang;
    one.is = one.language === "en" ? "" : one.language;
  }
  return all;
}

test("of short texts no language is told but the right one, and nearly all are told", async () => {
  const all = await told();
  const ofOthers = all.filter(({ is }) => is);
  const right = ofOthers.filter((one) => one.told === one.is).length;
  const [precision, recall] = [right / all.filter((one) => one.told).length, right / ofOthers.length];
  console.log(`${all.length} short texts: precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}`);
  expect(all.filter((one) => one.told && one.told !== one.is)).toEqual([]);
  expect(recall).toBeGreaterThan(0.95);
});
