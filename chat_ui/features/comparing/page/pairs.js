// Pairs of equal questions in two columns, by their order (`chat_ui/features/comparing/page/state/second_column.py` has
// the same rule).

/** @typedef {{ id: string, question: string, decides?: string }} Turn */

/**
 * Each left turn with its right turn, if any: the first with the same text after the previous pair.
 * @template {{ question: string }} Asked
 * @param {Asked[]} left
 * @param {Asked[]} right
 * @returns {[Asked, Asked][]}
 */
export function pairsOf(left, right) {
  let place = 0;
  return left.flatMap((turn) => {
    const same = right.findIndex(({ question }, at) => at >= place && question === turn.question);
    if (same < 0) return [];
    place = same + 1;
    return [/** @type {[Asked, Asked]} */ ([turn, right[same]])];
  });
}

/**
 * Whether the last questions of both are the same.
 * @param {Turn[]} left
 * @param {Turn[]} right
 */
export function areOfOneQuestion(left, right) {
  const [one, other] = pairsOf(left, right).at(-1) ?? [];
  return one !== undefined && one === left.at(-1) && other === right.at(-1);
}

/**
 * The number of left questions that the right column lacks: those after the last common one, without decisions.
 * @param {Turn[]} left
 * @param {Turn[]} right
 */
export function missingCount(left, right) {
  const asked = left.filter(({ decides }) => !decides);
  return asked.length - 1 - asked.lastIndexOf(pairsOf(asked, right).at(-1)?.[0]);
}
