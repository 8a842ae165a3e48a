import { expect, test } from "bun:test";
import { partsOf, sentenceEnds, sentencesOf } from "../../chat_ui/components/speech/sentences.js";

const sentences = (text) => {
  const ends = [0, ...sentenceEnds(text)];
  return ends.slice(1).map((end, index) => text.slice(ends[index], end).trim());
};

test("a full stop ends a sentence before white space and at the end", () => {
  expect(sentences("It is so. Is it? Yes!")).toEqual(["It is so.", "Is it?", "Yes!"]);
});

test("a full stop inside a number or a name ends nothing", () => {
  expect(sentences("Version 2.5 of a.txt is out.")).toEqual(["Version 2.5 of a.txt is out."]);
});

test("an abbreviation ends nothing, whatever follows it", () => {
  for (const sentence of [
    "They float, e.g. Red ones, i.e. 5 of them.",
    "Bojen, z. B. Rote, d. h. 5 Stück, bzw. Tonnen sind da.",
    "Hay boyas, p. ej. Rojas, en el agua.",
    "It is here, says Dr. Smith of St. Mary to Prof. J. Doe.",
    "See No. 5, p. 12, Fig. 3 and Art. 7 of it.",
    "Il y en a, p. ex. Deux, vgl. Abs. 3.1 und Nr. 4 davon.",
    "Red, green etc. float approx. 3.5 m apart.",
    "Sono rosse (ad es. due) ecc. e galleggiano.",
    "He waited… and left.",
  ])
    expect(sentences(`${sentence} Then.`)).toEqual([sentence, "Then."]);
});

test("what looks like an abbreviation, and is none, ends a sentence", () => {
  for (const first of ["Is it? No.", "It is art.", "Red, green, etc.", "He saw the vol.", "Es geht um Bücher usw."])
    expect(sentences(`${first} Then.`).at(-1)).toBe("Then.");
});

test("an abbreviation at the end may go on", () => {
  expect(sentencesOf("It is so. They float, e.g.")).toEqual(["It is so.", "They float, e.g."]);
  expect(sentenceEnds("They float, e.g.")).toEqual([]);
  expect(sentenceEnds("They float, e.g. ")).toEqual([]);
});

test("the number of an item ends nothing", () => {
  expect(sentencesOf("1. Take it out. Paint it.")).toEqual(["1. Take it out.", "Paint it."]);
  expect(sentencesOf("It costs 2. Then it floats.")).toEqual(["It costs 2.", "Then it floats."]);
});

test("a number at the end may go on", () => {
  expect(sentenceEnds("It costs 2.")).toEqual([]);
});

test("what closes a quotation belongs to its sentence", () => {
  expect(sentences("“It is so.” He left.")).toEqual(["“It is so.”", "He left."]);
});

test("a sentence ends where another begins in any script", () => {
  const pairs = [
    ["これは文です。", "次の"],
    ["本当ですか？", "はい"],
    ["هل هذا سؤال؟", "نعم"],
    ["यह एक वाक्य है।", "और"],
    ["یہ ایک جملہ ہے۔", "اور"],
    ["Really!", "Then"],
    ["It costs 1.5 euros.", "And 2."],
  ];
  for (const [first, second] of pairs) expect(sentences(`${first} ${second}`)[0]).toBe(first);
});

test("sentences end without white space in Chinese and with a question mark of their own in Greek", () => {
  expect(sentences("你好。再见。")).toEqual(["你好。", "再见。"]);
  expect(sentences("Τι είναι; Αυτό.")).toEqual(["Τι είναι;", "Αυτό."]);
});

test("long text is cut at the end of a sentence, else at a pause, else anywhere", () => {
  expect(partsOf("One. Two and three. Four", 12)).toEqual(["One.", "Two and", "three. Four"]);
  expect(partsOf("abcdefgh", 5)).toEqual(["abcde", "fgh"]);
});

test("a text is its sentences and what follows the last of them", () => {
  expect(sentencesOf("One. Two! And")).toEqual(["One.", "Two!", "And"]);
});
