// A formula (MathML as the server makes it of LaTeX) in plain words. What is more than a sign or two has its end told, so
// that a listener knows what belongs to it.

const GREEK = Object.fromEntries(
  Array.from(
    "αβγδεζηθικλμνξοπρςστυφχψω",
    /** @returns {[string, string]} */ (letter, at) => [
      letter,
      "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma sigma tau upsilon phi chi psi omega".split(
        " ",
      )[at],
    ],
  ),
);

const SIGNS = {
  "+": "plus",
  "-": "minus",
  "−": "minus",
  "=": "equals",
  "×": "times",
  "·": "times",
  "⋅": "times",
  "÷": "divided by",
  "±": "plus or minus",
  "∓": "minus or plus",
  "/": "over",
  "<": "is less than",
  ">": "is greater than",
  "≤": "is less than or equal to",
  "⩽": "is less than or equal to",
  "≥": "is greater than or equal to",
  "⩾": "is greater than or equal to",
  "≪": "is much less than",
  "≫": "is much greater than",
  "≠": "is not equal to",
  "≈": "is approximately",
  "≃": "is approximately",
  "≅": "is congruent to",
  "≡": "is identical to",
  "∼": "is similar to",
  "∝": "is proportional to",
  "∈": "is in",
  "∉": "is not in",
  "⊂": "is a subset of",
  "⊆": "is a subset of or equal to",
  "⊃": "is a superset of",
  "⊇": "is a superset of or equal to",
  "∪": "union",
  "∩": "intersection",
  "∖": "without",
  "⧵": "without",
  "≲": "is less than or similar to",
  "≳": "is greater than or similar to",
  "∴": "therefore",
  "∵": "because",
  "→": "goes to",
  "←": "comes from",
  "↦": "maps to",
  "⇒": "implies",
  "⟹": "implies",
  "⇔": "if and only if",
  "⟺": "if and only if",
  "∀": "for all",
  "∃": "there is",
  "¬": "not",
  "∧": "and",
  "∨": "or",
  "⊕": "circled plus",
  "⊗": "circled times",
  "⊥": "is perpendicular to",
  "∥": "is parallel to",
  "∞": "infinity",
  "∂": "partial",
  "∇": "nabla",
  "∅": "the empty set",
  "…": "and so on",
  "⋯": "and so on",
  "⋮": "and so on",
  "⋱": "and so on",
  "!": "factorial",
  "%": "percent",
  "∘": "composed with",
  "*": "star",
  "∗": "star",
  "(": "open parenthesis",
  ")": "close parenthesis",
  "[": "open bracket",
  "]": "close bracket",
  "{": "open brace",
  "}": "close brace",
  "⟨": "open angle bracket",
  "⟩": "close angle bracket",
  "⌊": "the floor of",
  "⌋": "end of floor",
  "⌈": "the ceiling of",
  "⌉": "end of ceiling",
  "|": "bar",
  "‖": "double bar",
  "°": "degrees",
  "′": "prime",
  "″": "double prime",
  "‴": "triple prime",
  ℓ: "l",
  ℏ: "h bar",
  "∑": "the sum",
  "∏": "the product",
  "∫": "the integral",
  "∬": "the double integral",
  "∭": "the triple integral",
  "∮": "the contour integral",
  "⋃": "the union",
  "⋂": "the intersection",
  ℝ: "the real numbers",
  ℕ: "the natural numbers",
  ℤ: "the integers",
  ℚ: "the rational numbers",
  ℂ: "the complex numbers",
};

const NAMES = {
  sin: "sine",
  cos: "cosine",
  tan: "tangent",
  cot: "cotangent",
  sec: "secant",
  csc: "cosecant",
  arcsin: "arc sine",
  arccos: "arc cosine",
  arctan: "arc tangent",
  sinh: "hyperbolic sine",
  cosh: "hyperbolic cosine",
  tanh: "hyperbolic tangent",
  ln: "natural logarithm",
  log: "logarithm",
  exp: "exponential",
  lim: "the limit",
  max: "the maximum",
  min: "the minimum",
  sup: "the supremum",
  inf: "the infimum",
  det: "the determinant",
  Var: "the variance",
};

const RANGED = /^(?:[∑∏∫∬∭∮⋃⋂]|max|min|sup|inf|argmax|argmin)$/u;
const LIMIT = /^lim/;
const POWERS = {
  2: "squared",
  3: "cubed",
  "′": "prime",
  "″": "double prime",
  "‴": "triple prime",
  "∘": "degrees",
  "°": "degrees",
  "*": "star",
  "∗": "star",
  "+": "plus",
  "⊤": "transposed",
  "†": "dagger",
};
const OVER = { "→": "vector", "^": "hat", ˆ: "hat", "¯": "bar", "―": "bar", "‾": "bar", "~": "tilde", "˜": "tilde" };
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
  const known = SIGNS[sign] ?? NAMES[sign] ?? GREEK[sign];
  if (known) return known;
  // A letter in a style of its own, or a capital Greek one.
  const plain = sign.normalize("NFKC");
  const small = GREEK[plain.toLowerCase()];
  if (small) return plain === plain.toLowerCase() ? small : `capital ${small}`;
  return SIGNS[plain] ?? plain;
}

// The one token that an element consists of, if there is only one.
function tokenOf(node) {
  let inner = node;
  while (inner.children.length === 1) inner = inner.children[0];
  return inner.children.length === 0 ? inner : null;
}

// The words of a part of a formula; of more than a token, the end is told as well.
const bounded = (node, end) => (tokenOf(node) ? words(node) : `${words(node)}, ${end},`);

function powerWords(base, power) {
  const token = tokenOf(power);
  const special = token && POWERS[signOf(token)];
  return `${base} ${special ?? `to the power ${bounded(power, "end of power")}`}`;
}

function subWords(base, index) {
  if (signOf(base) === "log") return `the logarithm to base ${bounded(index, "end of base")} of`;
  return `${words(base)} sub ${bounded(index, "end of sub")}`;
}

// An operator with its bounds: a sum, an integral, a limit.
function rangeWords(operator, from, to) {
  const named = tokenWords(operator);
  if (LIMIT.test(signOf(operator))) return `${named} as ${words(from)} of`;
  if (from && to) return `${named} from ${words(from)} to ${words(to)} of`;
  return from ? `${named} over ${words(from)} of` : `${named} up to ${words(to)} of`;
}

const isRanged = (node) => {
  const token = tokenOf(node);
  return token !== null && (RANGED.test(signOf(token)) || LIMIT.test(signOf(token)));
};

function fractionWords(node) {
  const [above, below] = node.children;
  const isPlain = tokenOf(above) && tokenOf(below);
  if (node.getAttribute("linethickness") === "0") {
    if (isPlain) return `${words(above)} choose ${words(below)}`;
    return `the binomial ${bounded(above, "end of top")} choose ${words(below)}, end of binomial,`;
  }
  if (isPlain) return `${words(above)} over ${words(below)}`;
  const numerator = words(above).includes(" over ") ? bounded(above, "end of numerator") : words(above);
  return `the fraction ${numerator} over ${words(below)}, end of fraction,`;
}

function rootWords(radicand, index) {
  const degree = index && signOf(index);
  const named = !index ? "the square root" : degree === "3" ? "the cube root" : `the root of order ${words(index)}`;
  return `${named} of ${bounded(radicand, "end of root")}`;
}

const bracedWords = (base) => `braced ${words(base)}, end of brace,`;

function underWords(base, mark) {
  return BRACE.test(signOf(mark)) ? bracedWords(base) : `${words(base)} with ${bounded(mark, "end of label")} below`;
}

function overWords(base, mark) {
  const named = OVER[signOf(mark)];
  if (BRACE.test(signOf(mark))) return bracedWords(base);
  if (named === "vector") return `vector ${bounded(base, "end of vector")}`;
  if (named) return tokenOf(base) ? `${words(base)} ${named}` : `${named} over ${words(base)}, end of ${named},`;
  if (signOf(mark) === "!") return `${words(base)} with exclamation mark above`;
  if (signOf(mark) === "˙" || signOf(mark) === ".") return `${words(base)} dot`;
  return `${words(base)} with ${bounded(mark, "end of label")} above`;
}

function tableWords(table) {
  const rowsBy = (pause) => [...table.children].map((row) => [...row.children].map(words).join(pause));
  const [before, after] = [table.previousElementSibling, table.nextElementSibling].map((beside) =>
    beside && FENCE.test(signOf(beside)) ? signOf(beside) : "",
  );
  if (!before && !after) return `lines: ${rowsBy(" ").join("; ")}; end of lines,`;
  const rows = rowsBy(", ");
  if (before === "{" && !after) return `cases: ${rows.join("; ")}; end of cases,`;
  const numbered = rows.map((row, at) => `row ${at + 1}: ${row}`).join("; ");
  return `matrix: ${numbered}; end of matrix,`;
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
  const named = signOf(baseOf(closer)) === "|" ? "absolute value" : "norm";
  const isShort = inside.length === 1 && closer.children.length === 0;
  const barred = `the ${named} of ${nodesWords(inside)}${isShort ? "" : `, end of ${named},`}`;
  const [, second, third] = closer.children;
  if (closer.localName === "msup") return powerWords(barred, second);
  if (!second) return barred;
  const indexed = `${barred} sub ${bounded(second, "end of sub")}`;
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
      said.push(isInSet ? "such that" : signOf(node) === "∣" ? "given" : "bar");
    } else if (
      FUNCTION.test(signOf(node.localName === "msup" ? baseOf(node) : node)) &&
      opener &&
      signOf(opener) === "("
    ) {
      said.push(words(node), "of");
      if (closer && signOf(closer) === ")" && tokenOf(argument)) {
        said.push(words(argument));
        at += 3;
      }
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
      return node.children.length === 1 ? rootWords(base) : `the square root of ${rowWords(node)}, end of root,`;
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
    .replace(/(?: ?[,;])+(?= ?[,;])/g, "")
    .replace(/ (?=[,;])/g, "")
    .replace(/[,;]$/, "")
    .trim();
