"""Numbers for the sources that an answer cites."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

from chat_ui.rendering.citations.citations import Citation, CitationUse
from chat_ui.rendering.citations.sentences import list_claim
from chat_ui.rendering.html.claims import BlockText
from chat_ui.rendering.html.parts import (
    CitationGroup,
    CitationSpot,
    CitedBracket,
    NumberedPart,
    Part,
    Widget,
    page_html,
)
from chat_ui.rendering.html.placeholders import OPEN

_STOP = re.compile(r"[.,;:!?…。、，；：！？)\]”’»]{1,3}(?![^\s<])")
"""Punctuation that a line may not begin with: browsers break lines around every button."""

SPOT = OPEN
"""Replaces a part other than text in safe HTML; removed from every input."""


@dataclass(frozen=True, slots=True)
class UnnumberedHtml:
    """Safe HTML with a `SPOT` for each of `spots`, in order; citations still lack numbers."""

    text: str
    spots: tuple[CitationSpot | Widget, ...]

    @classmethod
    def of(cls, parts: Sequence[Part]) -> UnnumberedHtml:
        """The parts as one text."""
        text = "".join(part if isinstance(part, str) else SPOT for part in parts)
        return cls(text, tuple(part for part in parts if not isinstance(part, str)))

    def between(self, start: int, end: int) -> UnnumberedHtml:
        """The HTML from one position of `text` to another."""
        first = self.text.count(SPOT, 0, start)
        count = self.text.count(SPOT, start, end)
        return UnnumberedHtml(self.text[start:end], self.spots[first : first + count])

    def ends_with(self, other: UnnumberedHtml) -> bool:
        """Whether this ends with the other, spots included."""
        count = len(other.spots)
        return self.text.endswith(other.text) and (not count or self.spots[-count:] == other.spots)


class Position(NamedTuple):
    """The counts of numbered sources and uses, the claim of citations after the text, whether that leads in a list, and
    the uses of lead-ins before the block and in it.
    """

    citations: int = 0
    uses: int = 0
    closing: str = ""
    leads_in: bool = False
    leading: tuple[tuple[int, CitationUse], ...] = ()
    found: tuple[tuple[int, CitationUse], ...] = ()


START: Final = Position()


class Numbers:
    """Numbers for sources, in order of first use, which can be taken back.

    A citation in a block without text belongs to the last sentence, list or table before the block. The claim of a
    lead-in goes on to the list or table with which the next block begins.
    """

    def __init__(self) -> None:
        self.citations: list[Citation] = []
        self.uses: list[CitationUse] = []
        self._keys: list[tuple[str, int | str]] = []
        self._by_key: dict[tuple[str, int | str], int] = {}
        self._closing = ""
        self._leads_in = False
        self._leading: list[tuple[int, CitationUse]] = []
        """The uses of the lead-in before the block, without its list; `_found` are those in the block."""
        self._found: list[tuple[int, CitationUse]] = []

    @property
    def position(self) -> Position:
        """The current position."""
        counts = len(self.citations), len(self.uses)
        return Position(*counts, self._closing, self._leads_in, tuple(self._leading), tuple(self._found))

    def back_to(self, position: Position) -> None:
        """Take back the numbers after `position`."""
        citations, uses, self._closing, self._leads_in, leading, found = position
        self._leading, self._found = list(leading), list(found)
        for key in self._keys[citations:]:
            del self._by_key[key]
        del self._keys[citations:], self.citations[citations:], self.uses[uses:]
        for index, use in (*leading, *found):
            self.uses[index] = use

    def end_block(self, text: BlockText) -> None:
        """Go on to the next block after one with this `text`."""
        for index, use in self._leading if text.listed else ():
            self.uses[index] = replace(use, claim=list_claim(use.claim, (text.listed,)))
        if text.closing:
            is_led = self._leads_in and text.closing == text.listed
            self._closing = list_claim(self._closing, (text.listed,)) if is_led else text.closing
        if text.closing or not self._found:
            self._leads_in, self._leading = text.leads_in, []
        self._leading += self._found
        self._found = []

    def parts(self, block: UnnumberedHtml) -> tuple[NumberedPart, ...]:
        """The parts of the HTML, its citations numbered after those before it."""
        if not block.spots:
            return (block.text,)
        before, *others = block.text.split(SPOT)
        parts: list[NumberedPart] = []
        adjacent: list[CitedBracket] = []
        first_use = len(self.uses)
        for spot, other, following in zip(block.spots, others, (*block.spots[1:], None), strict=True):
            if not isinstance(spot, CitationSpot):
                parts += [before, spot]
                before = other
                continue
            adjacent.append(self._cite(spot))
            if other.strip() or not isinstance(following, CitationSpot) or not following.matches:
                words = before.rstrip(" \n")
                stop = _STOP.match(other)
                end = stop.end() if stop else 0
                group = CitationGroup(tuple(adjacent), first_use, other[:end], before[len(words) :])
                parts += [words, group]
                before, adjacent, first_use = other[end:], [], len(self.uses)
        return tuple(part for part in (*parts, before) if part)

    def html(self, block: UnnumberedHtml) -> str:
        """The same as safe HTML for a page."""
        return page_html(self.parts(block))

    def _cite(self, spot: CitationSpot) -> CitedBracket:
        """The citations of a bracket, numbered, each with a use."""
        cited: list[Citation] = []
        for match in spot.matches:
            number = self._by_key.get(match.key)
            if number is None:
                number = self._by_key[match.key] = len(self.citations) + 1
                self._keys.append(match.key)
                self.citations.append(Citation(number, match.label, match.data_point, match.rule))
            cited.append(self.citations[number - 1])
            self.uses.append(CitationUse(number, spot.claim or self._closing, match.place))
            if spot.leads_in or (self._leads_in and not spot.claim):
                self._found.append((len(self.uses) - 1, self.uses[-1]))
        return CitedBracket(tuple(cited), spot.place)
