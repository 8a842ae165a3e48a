"""Citations that a backend told beside the text of its answer, each with its place in the text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from chat_ui.protocol.text_places import Places

MOST_CITATIONS: Final = 1_000
"""Placed citations of one answer."""
_NOT_IN_A_LABEL: Final = {ord(character): f"%{ord(character):02X}" for character in "[]|`\\\r\n"}
"""What ends a bracket, a cell of a table, code or a line, as it stands in a URL."""


@dataclass(frozen=True, slots=True)
class PlacedCitation:
    """A citation of the source `label`: in place of the mark of the model from `start` to `end`, in characters of the
    answer's text, or where both are one, after what stands before it.
    """

    label: str
    start: int
    end: int


def with_citations(text: str, citations: Sequence[PlacedCitation], write: Callable[[int, str], str]) -> str:
    """`text` with each of the citations, which are in order, in place of its mark. One in the mark of another follows
    that. `write` is given the index of a citation, and the space that belongs before it.
    """
    pieces: list[str] = []
    at = 0
    for index, citation in enumerate(citations):
        before = text[at : citation.start]
        pieces += [before, write(index, space_after(before))]
        at = max(at, citation.end)
    return "".join((*pieces, text[at:]))


def space_after(before: str) -> str:
    """The space between a text, back to the citation before it, and a citation: none after another citation."""
    return " " if before and not before[-1].isspace() and before[-1] not in "]([" else ""


def with_brackets(text: str, citations: Sequence[PlacedCitation]) -> str:
    """`text` with its placed citations as brackets: `One pair. [plan.pdf]`."""
    return with_citations(text, citations, lambda index, space: space + bracket(citations[index].label))


def bracket(label: str) -> str:
    """The bracket that cites the source `label`."""
    return f"[{label.translate(_NOT_IN_A_LABEL)}]"


def moved(citations: Iterable[PlacedCitation], places: Places) -> tuple[PlacedCitation, ...]:
    """The citations of a text, with their places in what was made of it."""
    return tuple(replace(one, start=places.of(one.start), end=places.of(one.end)) for one in citations)
