"""Marks in the blocks of an answer for the parts of its claims that differ from their passages.

A claim is plain text. Its place in a block's HTML is found by its letters, digits and signs, next to its citation.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Final

from chat_ui.rendering.answer import RenderedAnswer
from chat_ui.rendering.compared_claims import Claim
from chat_ui.rendering.html.parts import CitationGroup, ClaimMark, NumberedPart, RenderedBlock, Span

_TAG: Final = re.compile(r"(<[^>]*>)")
_LETTER: Final = re.compile(r"[^\W_]|[$€£¥%]")
_LETTER_OR_ENTITY: Final = re.compile(r"&[^;]*;|([^\W_]|[$€£¥%])")
"""Entities of safe HTML are not letters."""
_LONGEST: Final = 200_000
"""Characters of a block's HTML in which claims are looked for."""

Place = tuple[int, int, int]
"""A letter: the index of its part among the block's, of the text between tags in it, and its own index there."""


def marked_blocks(rendered: RenderedAnswer, claims: Sequence[Claim]) -> tuple[RenderedBlock, ...]:
    """The blocks with a mark for each differing part."""
    differing = {claim.uses[0]: claim for claim in claims if any(part.verdict == "differs" for part in claim.parts)}
    return tuple(_marked(block, differing) if differing else block for block in rendered.blocks)


def _marked(block: RenderedBlock, differing: dict[int, Claim]) -> RenderedBlock:
    claims = [
        (index, differing[use])
        for index, group in enumerate(block.parts)
        if isinstance(group, CitationGroup)
        for use in range(group.first_use, group.first_use + len(group.citations))
        if use in differing
    ]
    if not claims or sum(len(part) for part in block.parts if isinstance(part, str)) > _LONGEST:
        return block
    letters, places = _letters(block.parts)
    spans: dict[tuple[int, int], list[Span]] = {}
    for index, claim in claims:
        for start, end in _found(letters, places, index, claim):
            for key, run in groupby(places[start:end], key=itemgetter(0, 1)):
                at = [place[2] for place in run]
                spans.setdefault(key, []).append((at[0], at[-1] + 1))
    return RenderedBlock(tuple(one for at, part in enumerate(block.parts) for one in _with_marks(part, at, spans)))


def _letters(parts: Sequence[NumberedPart]) -> tuple[str, list[Place]]:
    letters: list[str] = []
    places: list[Place] = []
    for index, part in enumerate(parts):
        pieces = _TAG.split(part) if isinstance(part, str) else ()
        for piece in range(0, len(pieces), 2):
            for match in _LETTER_OR_ENTITY.finditer(pieces[piece]):
                if match[1]:
                    letters.append(match[1])
                    places.append((index, piece, match.start()))
    return "".join(letters), places


def _found(letters: str, places: Sequence[Place], index: int, claim: Claim) -> Iterator[Span]:
    """The differing parts of a claim among the letters, next to its citation, which is the part `index`."""
    wanted = "".join(_LETTER.findall(claim.sentence))
    at = next((number for number, place in enumerate(places) if place[0] > index), len(places))
    # A claim may go on after its citation.
    start = letters.rfind(wanted, 0, at + len(wanted))
    if start < 0 or not wanted:
        return
    for part in claim.parts:
        if part.verdict == "differs":
            before = len(_LETTER.findall(claim.sentence[: part.start]))
            length = len(_LETTER.findall(claim.sentence[part.start : part.end]))
            if length:
                yield start + before, start + before + length


def _with_marks(part: NumberedPart, index: int, spans: dict[tuple[int, int], list[Span]]) -> Iterable[NumberedPart]:
    if not isinstance(part, str) or not any(of == index for of, _ in spans):
        return (part,)
    parts: list[NumberedPart] = []
    for number, piece in enumerate(_TAG.split(part)):
        position = 0
        for first, last in sorted(spans.get((index, number), ())):
            if first >= position:
                parts += [piece[position:first], ClaimMark(piece[first:last])]
                position = last
        parts.append(piece[position:])
    return parts
