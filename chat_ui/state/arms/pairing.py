"""Which questions of two arms are the same, by their order, as `components/comparing/pairs.js` has it for the page."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from chat_ui.conversations.store.store import QUESTION_HEAD
from chat_ui.conversations.turn import Turn


def missing_turns(left: Sequence[Turn], right: Sequence[Turn]) -> list[tuple[Turn, Turn | None]]:
    """The turns on the left whose questions were not asked on the right, each with the turn that is in its place there.

    They are those after the last question that both have. A question on the right is that of the first turn on the left
    with these words that no other one before it is of.
    """
    place = after = 0
    for number, turn in enumerate(left, 1):
        words = turn.question[:QUESTION_HEAD]
        same = next((at for at in range(place, len(right)) if right[at].question[:QUESTION_HEAD] == words), None)
        if same is not None:
            place, after = same + 1, number
    missing = left[after:]
    return list(zip_longest(missing, right[place : place + len(missing)]))
