// A formula (MathML as the server makes it of LaTeX) in plain words. What is more than a sign or two has its end told, so
// that a listener knows what belongs to it.

import { t } from "../languages/language.js";

// Translators: the names of the Greek letters from alpha to omega, with final sigma, each as one word.
const greekNames = () =>
  t(
    "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma sigma tau upsilon phi chi psi omega",
  );
const GREEK = "αβγδεζηθικλμνξοπρςστυφχψω";

const greekName = (letter) =>
  letter && GREEK.includes(letter) ? greekNames().split(" ")[GREEK.indexOf(letter)] : undefined;

const SIGNS = {
  "+": () => t("plus"),
  "-": () => t("minus"),
  "−": () => t("minus"),
  "=": () => t("equals"),
  "×": () => t("times"),
  "·": () => t("times"),
  "⋅": () => t("times"),
  "÷": () => t("divided by"),
  "±": () => t("plus or minus"),
  "∓": () => t("minus or plus"),
  "/": () => t("over"),
  "<": () => t("is less than"),
  ">": () => t("is greater than"),
  "≤": () => t("is less than or equal to"),
  "⩽": () => t("is less than or equal to"),
  "≥": () => t("is greater than or equal to"),
  "⩾": () => t("is greater than or equal to"),
  "≪": () => t("is much less than"),
  "≫": () => t("is much greater than"),
  "≠": () => t("is not equal to"),
  "≈": () => t("is approximately"),
  "≃": () => t("is approximately"),
  "≅": () => t("is congruent to"),
  "≡": () => t("is identical to"),
  "∼": () => t("is similar to"),
  "∝": () => t("is proportional to"),
  "∈": () => t("is in"),
  "∉": () => t("is not in"),
  "⊂": () => t("is a subset of"),
  "⊆": () => t("is a subset of or equal to"),
  "⊃": () => t("is a superset of"),
  "⊇": () => t("is a superset of or equal to"),
  "∪": () => t("union"),
  "∩": () => t("intersection"),
  "∖": () => t("without"),
  "⧵": () => t("without"),
  "≲": () => t("is less than or similar to"),
  "≳": () => t("is greater than or similar to"),
  "∴": () => t("therefore"),
  "∵": () => t("because"),
  "→": () => t("goes to"),
  "←": () => t("comes from"),
  "↦": () => t("maps to"),
  "⇒": () => t("implies"),
  "⟹": () => t("implies"),
  "⇔": () => t("if and only if"),
  "⟺": () => t("if and only if"),
  "∀": () => t("for all"),
  "∃": () => t("there is"),
  "¬": () => t("not"),
  "∧": () => t("and"),
  "∨": () => t("or"),
  "⊕": () => t("circled plus"),
  "⊗": () => t("circled times"),
  "⊥": () => t("is perpendicular to"),
  "∥": () => t("is parallel to"),
  "∞": () => t("infinity"),
  "∂": () => t("partial"),
  "∇": () => t("nabla"),
  "∅": () => t("the empty set"),
  "…": () => t("and so on"),
  "⋯": () => t("and so on"),
  "⋮": () => t("and so on"),
  "⋱": () => t("and so on"),
  "!": () => t("factorial"),
  "%": () => t("percent"),
  "∘": () => t("composed with"),
  "*": () => t("star"),
  "∗": () => t("star"),
  "(": () => t("open parenthesis"),
  ")": () => t("close parenthesis"),
  "[": () => t("open bracket"),
  "]": () => t("close bracket"),
  "{": () => t("open brace"),
  "}": () => t("close brace"),
  "⟨": () => t("open angle bracket"),
  "⟩": () => t("close angle bracket"),
  "⌊": () => t("the floor of"),
  "⌋": () => t("end of floor"),
  "⌈": () => t("the ceiling of"),
  "⌉": () => t("end of ceiling"),
  "|": () => t("bar"),
  "‖": () => t("double bar"),
  "°": () => t("degrees"),
  "′": () => t("prime"),
  "″": () => t("double prime"),
  "‴": () => t("triple prime"),
  ℓ: () => t("l"),
  ℏ: () => t("h bar"),
  "∑": () => t("the sum"),
  "∏": () => t("the product"),
  "∫": () => t("the integral"),
  "∬": () => t("the double integral"),
  "∭": () => t("the triple integral"),
  "∮": () => t("the contour integral"),
  "⋃": () => t("the union"),
  "⋂": () => t("the intersection"),
  ℝ: () => t("the real numbers"),
  ℕ: () => t("the natural numbers"),
  ℤ: () => t("the integers"),
  ℚ: () => t("the rational numbers"),
  ℂ: () => t("the complex numbers"),
};

const NAMES = {
  sin: () => t("sine"),
  cos: () => t("cosine"),
  tan: () => t("tangent"),
  cot: () => t("cotangent"),
  sec: () => t("secant"),
  csc: () => t("cosecant"),
  arcsin: () => t("arc sine"),
  arccos: () => t("arc cosine"),
  arctan: () => t("arc tangent"),
  sinh: () => t("hyperbolic sine"),
  cosh: () => t("hyperbolic cosine"),
  tanh: () => t("hyperbolic tangent"),
  ln: () => t("natural logarithm"),
  log: () => t("logarithm"),
  exp: () => t("exponential"),
  lim: () => t("the limit"),
  max: () => t("the maximum"),
  min: () => t("the minimum"),
  sup: () => t("the supremum"),
  inf: () => t("the infimum"),
  det: () => t("the determinant"),
  Var: () => t("the variance"),
};

const RANGED = /^(?:[∑∏∫∬∭∮⋃⋂]|max|min|sup|inf|argmax|argmin)$/u;
const LIMIT = /^lim/;
const POWERS = {
  2: () => t("squared"),
  3: () => t("cubed"),
  "′": () => t("prime"),
  "″": () => t("double prime"),
  "‴": () => t("triple prime"),
  "∘": () => t("degrees"),
  "°": () => t("degrees"),
  "*": () => t("star"),
  "∗": () => t("star"),
  "+": () => t("plus"),
  "⊤": () => t("transposed"),
  "†": () => t("dagger"),
};
const hat = (base) => t("{base} hat", { base });
const wideHat = (base) => t("hat over {base}, end of hat,", { base });
const bar = (base) => t("{base} bar", { base });
const wideBar = (base) => t("bar over {base}, end of bar,", { base });
const tilde = (base) => t("{base} tilde", { base });
const wideTilde = (base) => t("tilde over {base}, end of tilde,", { base });
// A mark over a token, and over more than that.
const OVER = {
  "^": [hat, wideHat],
  ˆ: [hat, wideHat],
  "¯": [bar, wideBar],
  "―": [bar, wideBar],
  "‾": [bar, wideBar],
  "~": [tilde, wideTilde],
  "˜": [tilde, wideTilde],
};
const FUNCTION = /^(?:[fghFGHPE]|[\p{L}]{2,})$/u;
const INVISIBLE = /[\u2061-\u2064\u200b]/g;
const BAR = /^[|‖]$/;
const CLOSER = /^[)\]}]$/;
const BRACE = /^[⏞⏟]$/;
const FENCE = /^[()[\]{}|‖]$/u;

const signOf = (node) => node.textContent.replace(INVISIBLE, "").trim();

function tokenWords(node) {
  const sign = signOf(node);
  if (node.localName === "mtext" || node.localName === "mn") return sign;
  const known = (SIGNS[sign] ?? NAMES[sign])?.() ?? greekName(sign);
  if (known) return known;
  // A letter in a style of its own, or a capital Greek one.
  const plain = sign.normalize("NFKC");
  const letter = greekName(plain.toLowerCase());
  if (letter) return plain === plain.toLowerCase() ? letter : t("capital {letter}", { letter });
  return SIGNS[plain]?.() ?? plain;
}

// The one token that an element consists of, if there is only one.
function tokenOf(node) {
  let inner = node;
  while (inner.children.length === 1) inner = inner.children[0];
  return inner.children.length === 0 ? inner : null;
}

// The words of a part of a formula; of more than a token, the end is told as well, by `ended`.
const bounded = (node, ended) => (tokenOf(node) ? words(node) : ended(words(node)));
const endedPower = (part) => t("{part}, end of power,", { part });
const endedBase = (part) => t("{part}, end of base,", { part });
const endedSub = (part) => t("{part}, end of sub,", { part });
const endedTop = (part) => t("{part}, end of top,", { part });
const endedNumerator = (part) => t("{part}, end of numerator,", { part });
const endedRoot = (part) => t("{part}, end of root,", { part });
const endedLabel = (part) => t("{part}, end of label,", { part });
const endedVector = (part) => t("{part}, end of vector,", { part });

function powerWords(base, power) {
  const token = tokenOf(power);
  const special = token && POWERS[signOf(token)];
  return special
    ? t("{base} {power}", { base, power: special() })
    : t("{base} to the power {power}", { base, power: bounded(power, endedPower) });
}

const subscripted = (base, index) => t("{base} sub {index}", { base, index: bounded(index, endedSub) });

function subWords(base, index) {
  if (signOf(base) === "log") return t("the logarithm to base {base} of", { base: bounded(index, endedBase) });
  return subscripted(words(base), index);
}

// An operator with its bounds: a sum, an integral, a limit.
function rangeWords(operator, from, to) {
  const named = tokenWords(operator);
  if (LIMIT.test(signOf(operator))) return t("{operator} as {from} of", { operator: named, from: words(from) });
  if (from && to) return t("{operator} from {from} to {to} of", { operator: named, from: words(from), to: words(to) });
  return from
    ? t("{operator} over {from} of", { operator: named, from: words(from) })
    : t("{operator} up to {to} of", { operator: named, to: words(to) });
}

const isRanged = (node) => {
  const token = tokenOf(node);
  return token !== null && (RANGED.test(signOf(token)) || LIMIT.test(signOf(token)));
};

function fractionWords(node) {
  const [above, below] = node.children;
  const isPlain = tokenOf(above) && tokenOf(below);
  if (node.getAttribute("linethickness") === "0") {
    if (isPlain) return t("{top} choose {bottom}", { top: words(above), bottom: words(below) });
    return t("the binomial {top} choose {bottom}, end of binomial,", {
      top: bounded(above, endedTop),
      bottom: words(below),
    });
  }
  if (isPlain) return t("{top} over {bottom}", { top: words(above), bottom: words(below) });
  const numerator =
    above.querySelector("mfrac") || above.localName === "mfrac" ? bounded(above, endedNumerator) : words(above);
  return t("the fraction {top} over {bottom}, end of fraction,", { top: numerator, bottom: words(below) });
}

function rootWords(radicand, index) {
  const degree = index && signOf(index);
  const inside = bounded(radicand, endedRoot);
  if (!index) return t("the square root of {radicand}", { radicand: inside });
  if (degree === "3") return t("the cube root of {radicand}", { radicand: inside });
  return t("the root of order {order} of {radicand}", { order: words(index), radicand: inside });
}

const bracedWords = (base) => t("braced {base}, end of brace,", { base: words(base) });

function underWords(base, mark) {
  if (BRACE.test(signOf(mark))) return bracedWords(base);
  return t("{base} with {label} below", { base: words(base), label: bounded(mark, endedLabel) });
}

function overWords(base, mark) {
  const sign = signOf(mark);
  if (BRACE.test(sign)) return bracedWords(base);
  if (sign === "→") return t("vector {base}", { base: bounded(base, endedVector) });
  if (OVER[sign]) return OVER[sign][tokenOf(base) ? 0 : 1](words(base));
  if (sign === "!") return t("{base} with exclamation mark above", { base: words(base) });
  if (sign === "˙" || sign === ".") return t("{base} dot", { base: words(base) });
  return t("{base} with {label} above", { base: words(base), label: bounded(mark, endedLabel) });
}

function tableWords(table) {
  const rowsBy = (pause) => [...table.children].map((row) => [...row.children].map(words).join(pause));
  const [before, after] = [table.previousElementSibling, table.nextElementSibling].map((beside) =>
    beside && FENCE.test(signOf(beside)) ? signOf(beside) : "",
  );
  if (!before && !after) return t("lines: {lines}; end of lines,", { lines: rowsBy(" ").join("; ") });
  const rows = rowsBy(", ");
  if (before === "{" && !after) return t("cases: {cases}; end of cases,", { cases: rows.join("; ") });
  const numbered = rows.map((cells, at) => t("row {number}: {cells}", { number: at + 1, cells })).join("; ");
  return t("matrix: {rows}; end of matrix,", { rows: numbered });
}

// What stands around a matrix or a binomial says nothing of its own.
const isSilent = (node) =>
  node.localName === "mo" &&
  FENCE.test(signOf(node)) &&
  [node.previousElementSibling, node.nextElementSibling].some(
    (beside) => beside?.localName === "mtable" || beside?.getAttribute("linethickness") === "0",
  );

const baseOf = (node) => (/^msu[bp]/.test(node.localName) ? node.children[0] : node);

// Where the bar at a place in a row is closed; -1 where it opens nothing.
function closingBar(nodes, at) {
  const sign = signOf(nodes[at]);
  const before = nodes[at - 1];
  const opens = !before || before.localName === "mn" || (before.localName === "mo" && !CLOSER.test(signOf(before)));
  if (!BAR.test(sign) || !opens) return -1;
  return nodes.findIndex((node, later) => later > at + 1 && signOf(baseOf(node)) === sign);
}

function barredWords(inside, closer) {
  const isValue = signOf(baseOf(closer)) === "|";
  const isShort = inside.length === 1 && closer.children.length === 0;
  const within = { inside: nodesWords(inside) };
  const whole = isValue
    ? t("the absolute value of {inside}, end of absolute value,", within)
    : t("the norm of {inside}, end of norm,", within);
  const short = isValue ? t("the absolute value of {inside}", within) : t("the norm of {inside}", within);
  const barred = isShort ? short : whole;
  const [, second, third] = closer.children;
  if (closer.localName === "msup") return powerWords(barred, second);
  if (!second) return barred;
  const indexed = subscripted(barred, second);
  return third ? powerWords(indexed, third) : indexed;
}

const rowWords = (parent) => nodesWords([...parent.children]);

function nodesWords(nodes) {
  const said = [];
  for (let at = 0; at < nodes.length; at += 1) {
    const node = nodes[at];
    if (isSilent(node)) continue;
    const [opener, argument, closer] = nodes.slice(at + 1, at + 4);
    const closing = closingBar(nodes, at);
    if (closing > 0) {
      said.push(barredWords(nodes.slice(at + 1, closing), nodes[closing]));
      at = closing;
    } else if (/^[∣|]$/.test(signOf(node))) {
      const isInSet = nodes.slice(0, at).some((before) => signOf(before) === "{");
      said.push(isInSet ? t("such that") : signOf(node) === "∣" ? t("given") : t("bar"));
    } else if (
      FUNCTION.test(signOf(node.localName === "msup" ? baseOf(node) : node)) &&
      opener &&
      signOf(opener) === "("
    ) {
      const isWhole = closer && signOf(closer) === ")" && tokenOf(argument);
      said.push(
        isWhole
          ? t("{function} of {argument}", { function: words(node), argument: words(argument) })
          : t("{function} of", { function: words(node) }),
      );
      if (isWhole) at += 3;
    } else said.push(words(node));
  }
  return said.filter(Boolean).join(" ");
}

function words(node) {
  const [base, second, third] = node.children;
  switch (node.localName) {
    case "mspace":
    case "mphantom":
    case "none":
    case "mprescripts":
      return "";
    case "mfrac":
      return fractionWords(node);
    case "msqrt":
      return node.children.length === 1
        ? rootWords(base)
        : t("the square root of {radicand}", { radicand: endedRoot(rowWords(node)) });
    case "mroot":
      return rootWords(base, second);
    case "msup":
      return isRanged(base) ? rangeWords(base, null, second) : powerWords(words(base), second);
    case "msub":
    case "munder":
      if (isRanged(base)) return rangeWords(base, second);
      return node.localName === "msub" ? subWords(base, second) : underWords(base, second);
    case "msubsup":
    case "munderover":
      return isRanged(base) ? rangeWords(base, second, third) : powerWords(subWords(base, second), third);
    case "mover":
      return overWords(base, second);
    case "mtable":
      return tableWords(node);
    default:
      return node.children.length > 0 ? rowWords(node) : tokenWords(node);
  }
}

/** The words of a `math` element. */
export const formulaWords = (formula) =>
  words(formula)
    .replace(/\s+/g, " ")
    .replace(/(?: ?[,;、，；،؛])+(?= ?[,;、，；،؛])/g, "")
    .replace(/ (?=[,;、，；،؛])/g, "")
    .replace(/[,;、，；،؛]$/, "")
    .trim();
