"""Citations beside the text of an answer, each with its place in the text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

MOST_CITATIONS: Final = 1_000
"""Placed citations of one answer."""
_NOT_IN_A_LABEL: Final = {ord(character): f"%{ord(character):02X}" for character in "[]|`\\\r\n"}
"""Characters that end a bracket, a cell of a table, code or a line, written as in a URL."""
_WORD: Final = re.compile(r"[^\W\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]{1,40}")
"""A word, in a script that has spaces between them."""


class PlacedCitation(NamedTuple):
    """A citation of the source `label`, in characters of the answer's text.

    It replaces the model's mark from `start` to `end`. If both are equal, it follows the word there.
    """

    label: str
    start: int
    end: int


def after_word(text: str, place: int) -> int:
    """The end of the word around a place in `text`, which some backends count in other units; else the place."""
    word = _WORD.match(text, place) if place and _WORD.match(text, place - 1) else None
    return word.end() if word else place


def space_after(before: str) -> str:
    """The space between the text since the last citation and the next citation: empty directly after a citation."""
    return " " if before and not before[-1].isspace() and before[-1] not in "]([" else ""


def with_brackets(text: str, citations: Sequence[PlacedCitation]) -> str:
    """`text` with its placed citations, which are in order, as brackets: `One pair. [plan.pdf]`."""
    pieces: list[str] = []
    at = 0
    for citation in citations:
        start = after_word(text, citation.start) if citation.start == citation.end else citation.start
        before, at = text[at:start], max(at, start, citation.end)
        pieces.append(f"{before}{space_after(before)}[{citation.label.translate(_NOT_IN_A_LABEL)}]")
    return "".join((*pieces, text[at:]))
