"""Which questions of two arms are the same, by their order, as `components/comparing/pairs.js` has it for the page."""

from __future__ import annotations

from collections.abc import Sequence

from chat_ui.conversations.store.store import QUESTION_HEAD
from chat_ui.conversations.turn import Turn


def missing_turns(left: Sequence[Turn], right: Sequence[Turn]) -> list[Turn]:
    """The turns on the left whose questions were not asked on the right: those after the last one that both have.

    A question on the right is that of the first turn on the left with these words that no other one before it is of.
    """
    place = after = 0
    for number, turn in enumerate(left, 1):
        words = turn.question[:QUESTION_HEAD]
        same = next((at for at in range(place, len(right)) if right[at].question[:QUESTION_HEAD] == words), None)
        if same is not None:
            place, after = same + 1, number
    return list(left[after:])
