"""Numbers for the sources that an answer cites, and the buttons that show them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Final, NamedTuple

from chat_ui.rendering.citations.citations import RULE_MISSING, Citation, CitationUse
from chat_ui.rendering.html.safe_html import OPEN, CitationSpot, Part

_STOP = re.compile(r"[.,;:!?…。、，；：！？)\]”’»]{1,3}(?![^\s<])")
"""Punctuation that a line may not begin with: browsers break lines around every button."""

SPOT = OPEN
"""Stands in safe HTML where a bracket's buttons go; no input can hold it."""


@dataclass(frozen=True, slots=True)
class UnnumberedHtml:
    """Safe HTML with a `SPOT` for each of `spots`, in order."""

    text: str
    spots: tuple[CitationSpot, ...]

    @classmethod
    def of(cls, parts: Sequence[Part]) -> UnnumberedHtml:
        """The parts as one text."""
        text = "".join(part if isinstance(part, str) else SPOT for part in parts)
        return cls(text, tuple(part for part in parts if isinstance(part, CitationSpot)))

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
    """How many sources and uses are numbered, and the last sentence of the blocks that are numbered to their end."""

    citations: int = 0
    uses: int = 0
    closing: str = ""


START: Final = Position()
"""Nothing is numbered."""


class Numbers:
    """Numbers for sources, in order of first use. What was numbered last can be taken back.

    A citation in a block without text of its own stands for the last sentence before the block.
    """

    def __init__(self) -> None:
        self.citations: list[Citation] = []
        self.uses: list[CitationUse] = []
        self._keys: list[tuple[str, int | str]] = []
        self._by_key: dict[tuple[str, int | str], int] = {}
        self._closing = ""

    @property
    def position(self) -> Position:
        """What is numbered so far."""
        return Position(len(self.citations), len(self.uses), self._closing)

    def back_to(self, position: Position) -> None:
        """Take back what was numbered after `position`."""
        citations, uses, self._closing = position
        for key in self._keys[citations:]:
            del self._by_key[key]
        del self._keys[citations:], self.citations[citations:], self.uses[uses:]

    def end_block(self, closing: str) -> None:
        """Go on to the next block; `closing` is the last sentence of this one, empty where it has no text."""
        self._closing = closing or self._closing

    def html(self, block: UnnumberedHtml) -> str:
        """The HTML with its citations numbered after those before it."""
        if not block.spots:
            return block.text
        first, *others = block.text.split(SPOT)
        pieces = [first]
        adjacent: list[str] = []
        for number, (spot, other) in enumerate(zip(block.spots, others, strict=True), 1):
            adjacent += self._buttons(spot)
            if other.strip() or number == len(block.spots):
                stop = _STOP.match(other)
                end = stop.end() if stop else 0
                pieces += [_control(adjacent, other[:end]), other[end:]]
                adjacent = []
        return "".join(pieces)

    def _buttons(self, spot: CitationSpot) -> list[str]:
        buttons: list[str] = []
        for match in spot.matches:
            number = self._by_key.get(match.key)
            if number is None:
                number = self._by_key[match.key] = len(self.citations) + 1
                self._keys.append(match.key)
                self.citations.append(Citation(number, match.label, match.data_point, match.rule))
            buttons.append(_button(self.citations[number - 1], len(self.uses)))
            self.uses.append(CitationUse(number, spot.claim or self._closing))
        return buttons


def _control(buttons: Sequence[str], stop: str) -> str:
    """The buttons of citations that stand side by side, as one group that says how many there are; `stop` is kept on
    their line.
    """
    control = "".join(buttons)
    if len(buttons) > 1:
        control = f'<span class="citations" role="group" aria-label="{len(buttons)} citations">{control}</span>'
    return f'<span class="cited">{control}{stop}</span>' if stop else control


def _button(citation: Citation, use: int) -> str:
    missing = citation.rule == RULE_MISSING
    kind = "citation citation-missing" if missing else "citation"
    words = f"Citation {citation.number}: {citation.label[:200]}"
    if missing:
        words += ", not found among the sources"
    return (
        f'<button type="button" class="{kind}" data-citation="{citation.number}" '
        f'data-use="{use}" aria-label="{escape(words)}">{citation.number}</button>'
    )
