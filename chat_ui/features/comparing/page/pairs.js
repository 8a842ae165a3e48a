// Which questions of two columns are the same, by their order (`chat_ui/features/comparing/page/state/second_column.py`
// has the same rule).

/** @typedef {{ id: string, question: string }} Turn */

/**
 * The turns on the left that have one on the right, each with that: the first with these words after the last of them.
 * @param {Turn[]} left
 * @param {Turn[]} right
 * @returns {[Turn, Turn][]}
 */
function pairsOf(left, right) {
  let place = 0;
  return left.flatMap((turn) => {
    const same = right.findIndex(({ question }, at) => at >= place && question === turn.question);
    if (same < 0) return [];
    place = same + 1;
    return [/** @type {[Turn, Turn]} */ ([turn, right[same]])];
  });
}

/**
 * Whether the last question of both is the same.
 * @param {Turn[]} left
 * @param {Turn[]} right
 */
export function areOfOneQuestion(left, right) {
  const [one, other] = pairsOf(left, right).at(-1) ?? [];
  return one !== undefined && one === left.at(-1) && other === right.at(-1);
}

/**
 * How many questions on the left were not asked on the right: those after the last one that both have.
 * @param {Turn[]} left
 * @param {Turn[]} right
 */
export const missingCount = (left, right) => left.length - 1 - left.lastIndexOf(pairsOf(left, right).at(-1)?.[0]);
