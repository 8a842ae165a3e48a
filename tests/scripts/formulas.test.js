import { expect, test } from "bun:test";
import { formulaWords } from "../../chat_ui/components/speech/formulas.js";

function spoken(mathml) {
  const place = document.createElement("div");
  place.innerHTML = `<math><mrow>${mathml}</mrow></math>`;
  return formulaWords(place.firstElementChild);
}

// As latex2mathml makes them of the LaTeX that stands before each.
const FORMULAS = [
  ["x^2", "<msup><mi>x</mi><mn>2</mn></msup>", "x squared"],
  ["\\frac{a}{b}", "<mfrac><mrow><mi>a</mi></mrow><mrow><mi>b</mi></mrow></mfrac>", "a over b"],
  [
    "\\frac{a+1}{b}",
    "<mfrac><mrow><mi>a</mi><mo>+</mo><mn>1</mn></mrow><mrow><mi>b</mi></mrow></mfrac>",
    "the fraction a plus 1 over b, end of fraction",
  ],
  ["\\sqrt{2}", "<msqrt><mrow><mn>2</mn></mrow></msqrt>", "the square root of 2"],
  ["\\sqrt[3]{x}", "<mroot><mrow><mi>x</mi></mrow><mn>3</mn></mroot>", "the cube root of x"],
  ["10^{-3}", "<msup><mn>10</mn><mrow><mo>−</mo><mn>3</mn></mrow></msup>", "10 to the power minus 3, end of power"],
  ["\\alpha\\le\\Gamma", "<mi>α</mi><mo>≤</mo><mi>Γ</mi>", "alpha is less than or equal to capital gamma"],
  [
    "\\sum_{i=1}^{n} x_i",
    "<msubsup><mo>∑</mo><mrow><mi>i</mi><mo>=</mo><mn>1</mn></mrow><mrow><mi>n</mi></mrow></msubsup><msub><mi>x</mi><mi>i</mi></msub>",
    "the sum from i equals 1 to n of x sub i",
  ],
  [
    "\\lim_{n\\to\\infty}",
    "<msub><mo>lim</mo><mrow><mi>n</mi><mo>→</mo><mo>∞</mo></mrow></msub><mi>n</mi>",
    "the limit as n goes to infinity of n",
  ],
  ["f(x)", "<mi>f</mi><mo>(</mo><mi>x</mi><mo>)</mo>", "f of x"],
  [
    "P(A\\mid B)",
    "<mi>P</mi><mo>(</mo><mi>A</mi><mo>∣</mo><mi>B</mi><mo>)</mo>",
    "P of open parenthesis A given B close parenthesis",
  ],
  [
    "\\binom{n}{k}",
    '<mo>(</mo><mfrac linethickness="0"><mrow><mi>n</mi></mrow><mrow><mi>k</mi></mrow></mfrac><mo>)</mo>',
    "n choose k",
  ],
  [
    "\\begin{pmatrix}1&2\\\\3&4\\end{pmatrix}",
    "<mo>(</mo><mtable><mtr><mtd><mn>1</mn></mtd><mtd><mn>2</mn></mtd></mtr><mtr><mtd><mn>3</mn></mtd><mtd><mn>4</mn></mtd></mtr></mtable><mo>)</mo>",
    "matrix: row 1: 1, 2; row 2: 3, 4; end of matrix",
  ],
  [
    "\\left|x\\right|",
    '<mrow><mo form="prefix">|</mo><mi>x</mi><mo form="postfix">|</mo></mrow>',
    "the absolute value of x",
  ],
  [
    "\\frac{\\frac{a}{b}}{c}",
    "<mfrac><mrow><mfrac><mi>a</mi><mi>b</mi></mfrac></mrow><mi>c</mi></mfrac>",
    "the fraction a over b, end of numerator, over c, end of fraction",
  ],
  [
    "\\frac{a}{\\frac{b}{c}}",
    "<mfrac><mi>a</mi><mrow><mfrac><mi>b</mi><mi>c</mi></mfrac></mrow></mfrac>",
    "the fraction a over b over c, end of fraction",
  ],
  [
    "\\binom{n+1}{k}",
    '<mo>(</mo><mfrac linethickness="0"><mrow><mi>n</mi><mo>+</mo><mn>1</mn></mrow><mi>k</mi></mfrac><mo>)</mo>',
    "the binomial n plus 1, end of top, choose k, end of binomial",
  ],
  [
    "\\overline{x+y}",
    "<mover><mrow><mi>x</mi><mo>+</mo><mi>y</mi></mrow><mo>―</mo></mover>",
    "bar over x plus y, end of bar",
  ],
  [
    "|a|+|b|^2",
    "<mo>|</mo><mi>a</mi><mo>|</mo><mo>+</mo><mo>|</mo><mi>b</mi><msup><mo>|</mo><mn>2</mn></msup>",
    "the absolute value of a plus the absolute value of b, end of absolute value, squared",
  ],
  ["f'(x)", "<msup><mi>f</mi><mi>′</mi></msup><mo>(</mo><mi>x</mi><mo>)</mo>", "f prime of x"],
  [
    "\\begin{Bmatrix}a\\\\b\\end{Bmatrix}",
    "<mo>{</mo><mtable><mtr><mtd><mi>a</mi></mtd></mtr><mtr><mtd><mi>b</mi></mtd></mtr></mtable><mo>}</mo>",
    "matrix: row 1: a; row 2: b; end of matrix",
  ],
  [
    "\\begin{split}a&=b\\\\&=c\\end{split}",
    "<mtable><mtr><mtd><mi>a</mi></mtd><mtd><mo>=</mo><mi>b</mi></mtd></mtr><mtr><mtd></mtd><mtd><mo>=</mo><mi>c</mi></mtd></mtr></mtable>",
    "lines: a equals b; equals c; end of lines",
  ],
  [
    "\\underbrace{a+b}_{n}",
    "<munder><munder><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mo>⏟</mo></munder><mrow><mi>n</mi></mrow></munder>",
    "braced a plus b, end of brace, with n below",
  ],
  ["\\vec{v}", "<mover><mrow><mi>v</mi></mrow><mo>→</mo></mover>", "vector v"],
];

test("a formula is read in plain words, and the end of its longer parts is told", () => {
  const said = FORMULAS.map(([latex, mathml]) => [latex, spoken(mathml)]);
  expect(said).toEqual(FORMULAS.map(([latex, , words]) => [latex, words]));
});
