"""The cited sentences of an answer, compared with their passages.

Citations in a row with the same sentence, or with its longer and longer beginnings, are compared together: each part
may be in any of their passages. Lists after a lead-in are left out, as are sentences that cite only missing sources.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from itertools import islice
from typing import Final

from chat_ui.features.claims.judging import Judgement, Part, Passage, judge
from chat_ui.languages.foreign_text import certain_language
from chat_ui.languages.translation import current_language
from chat_ui.protocol.answers.answer import Answer
from chat_ui.rendering.answer import RenderedAnswer
from chat_ui.rendering.compared_claims import Claim, ClaimPart
from chat_ui.rendering.html.parts import CitationGroup
from chat_ui.rendering.panels.passages import GAP, MAX_PASSAGE, plain_passage

MOST_CLAIMS: Final = 200
MOST_CHARACTERS: Final = 150_000
"""Characters of all passages that are read for an answer, each about 20 microseconds."""
MOST_COMPARED: Final = 2_000_000
"""Characters of passages that an answer's sentences are compared with, each about 2 microseconds."""
MOST_OTHERS: Final = 50
"""Passages that a part is looked for in, other than the cited ones."""


@dataclass(slots=True)
class _Sentence:
    text: str
    is_row: bool = False
    uses: list[int] = field(default_factory=list)
    numbers: dict[int, None] = field(default_factory=dict)
    points: dict[int, None] = field(default_factory=dict)


class Passages:
    """The passages of an answer, each read once."""

    def __init__(self, answer: Answer) -> None:
        self.language = certain_language(answer.text) or current_language().tag
        self._points = answer.data_points
        self._room = MOST_CHARACTERS
        self.to_compare = MOST_COMPARED
        self._read: dict[int, Passage] = {}

    def _of(self, points: Iterable[int]) -> dict[str, Passage] | None:
        """The passages of data points by their indices, without empty ones; None if one is too long, or all are."""
        with_text = [point for point in points if self._points[point].text.strip()]
        passages = {str(point): passage for point in with_text if (passage := self._passage(point))}
        return passages if len(passages) == len(with_text) else None

    def _passage(self, point: int) -> Passage | None:
        if point not in self._read:
            text = self._points[point].text
            if len(text) > min(self._room, MAX_PASSAGE):
                return None
            self._room -= len(text)
            self._read[point] = Passage(plain_passage(text).replace(GAP, "|"), self.language)
        return self._read[point]

    def of_sources(self, points: Iterable[int]) -> dict[str, Passage] | None:
        """The passages of data points and of their sources' other ones: a backend may send a document in pieces."""
        cited = dict.fromkeys(points)
        sources = {self._points[point].source for point in cited}
        pieces = (at for at, point in enumerate(self._points) if point.source in sources and at not in cited)
        return self._of([*cited, *islice(pieces, MOST_OTHERS)])

    def _all(self) -> dict[str, Passage]:
        """The cited passages and the first others, in which a part is looked for that the cited ones lack."""
        self._of(range(min(MOST_OTHERS, len(self._points))))
        return self._counted({str(point): passage for point, passage in self._read.items()})

    def _counted(self, passages: dict[str, Passage]) -> dict[str, Passage]:
        self.to_compare -= sum(len(passage.text) for passage in passages.values())
        return passages

    def judge(self, sentence: _Sentence, cited: dict[str, Passage]) -> Judgement | None:
        # The same length, so that parts keep their places.
        text = sentence.text.replace(", ", "| ") if sentence.is_row else sentence.text
        return judge(text, self._counted(cited), self._all, self.language)

    def plain(self, point: int) -> str:
        """The text of a passage that was read."""
        return self._read[point].text


def claims_of(rendered: RenderedAnswer, passages: Passages) -> tuple[tuple[Claim, ...], int]:
    """The compared sentences with checkable parts, and the number of sentences that were left out as too many."""
    claims: list[Claim] = []
    left = 0
    # Cited passages come before the others, as there is not room for all.
    cited_by = [(sentence, passages.of_sources(sentence.points)) for sentence in _sentences(rendered)]
    for sentence, cited in cited_by:
        if len(claims) >= MOST_CLAIMS or passages.to_compare <= 0 or cited is None:
            left += cited is None or bool(cited)
        elif cited and (judged := passages.judge(sentence, cited)):
            parts = tuple(map(_part, judged.parts))
            claims.append(Claim(sentence.text, tuple(sentence.uses), tuple(sentence.numbers), judged.verdict, parts))
    return tuple(claims), left


def _part(part: Part) -> ClaimPart:
    point = None if part.passage is None else int(part.passage)
    return ClaimPart(part.text, part.start, part.end, part.kind, part.verdict, point, part.counterpart)


def _sentences(rendered: RenderedAnswer) -> Iterable[_Sentence]:
    points = {one.number: one.data_point for one in rendered.citations}
    in_tables = _uses_in_tables(rendered)
    sentences: list[_Sentence] = []
    for index, use in enumerate(rendered.uses):
        if not use.claim or "\n" in use.claim:
            continue
        if not sentences or not use.claim.startswith(sentences[-1].text):
            sentences.append(_Sentence(use.claim, index in in_tables))
        sentence, point = sentences[-1], points[use.number]
        sentence.text = use.claim
        sentence.uses.append(index)
        sentence.numbers[use.number] = None
        if point is not None:
            sentence.points[point] = None
    return sentences


def _uses_in_tables(rendered: RenderedAnswer) -> frozenset[int]:
    """The uses whose claim is a row of cells with commas between them."""
    tables = (block for block in rendered.blocks if any("<td" in part for part in block.parts if isinstance(part, str)))
    groups = (part for block in tables for part in block.parts if isinstance(part, CitationGroup))
    return frozenset(use for one in groups for use in range(one.first_use, one.first_use + len(one.citations)))
