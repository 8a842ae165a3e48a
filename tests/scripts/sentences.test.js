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
