"""The contents of a conversation before its export: the amount of each part, and suspected secrets."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Final

from chat_ui.languages.translation import gettext, recorded_on, translated
from chat_ui.protocol.answers.answer import Answer, DataPoint
from chat_ui.protocol.answers.framework_documents import scalar
from chat_ui.protocol.answers.pictures import with_pictures
from chat_ui.protocol.answers.secret_scan import scan, surroundings
from chat_ui.rendering.answer import ending_words
from chat_ui.rendering.exported_page.page_document import ExportedTurn
from chat_ui.rendering.grounding import plain_text
from chat_ui.rendering.panels.passages import title_of_source

MOST_FINDINGS: Final = 50
"""Findings that are shown; the others are counted."""


@dataclass(frozen=True, slots=True)
class Amount:
    """A number of things, and their bytes of text or image."""

    count: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class Suspect:
    """A suspected secret: its `kind`, its place (`where`), and the words around it, as plain text."""

    kind: str
    where: str
    around: str


@dataclass(frozen=True, slots=True)
class Contents:
    """The exported contents: `recorded` counts recorded answers, `suspects` are the first of `found` ones."""

    questions: Amount
    answers: Amount
    recorded: int
    sources: Amount
    thoughts: Amount
    pages: Amount
    backends: tuple[str, ...]
    suspects: tuple[Suspect, ...]
    found: int


def contents_of(title: str, turns: Sequence[ExportedTurn], *, with_thoughts: bool = False) -> Contents:
    """The contents of these turns. The thoughts are measured in any case, but searched only if exported."""
    answers = [turn.answer for turn in turns]
    found = 0
    suspects: list[Suspect] = []
    for where, text in _texts(title, turns, with_thoughts=with_thoughts):
        findings = scan(text)
        room = MOST_FINDINGS - len(suspects)
        for index, finding in enumerate(islice(findings, room)):
            suspects.append(Suspect(translated(finding.kind), where, surroundings(text, findings, index)))
        found += len(findings)
    return Contents(
        questions=_amount([turn.question for turn in turns]),
        answers=_amount([answer.text for answer in answers if answer.text]),
        recorded=sum(bool(recorded_on(answer.recorded_at)) for answer in answers),
        sources=_amount([point.text + (point.image or "") for answer in answers for point in answer.data_points]),
        thoughts=_amount(list(filter(None, map(_thoughts, answers)))),
        pages=_amount([html for turn in turns for html in turn.pages.values()]),
        backends=tuple(dict.fromkeys(turn.backend for turn in turns if turn.backend)),
        suspects=tuple(suspects),
        found=found,
    )


def _amount(texts: Sequence[str]) -> Amount:
    return Amount(len(texts), sum(len(text.encode("utf-8", "replace")) for text in texts))


def _texts(title: str, turns: Sequence[ExportedTurn], *, with_thoughts: bool) -> Iterator[tuple[str, str]]:
    """Each exported text, and its place."""
    yield gettext("Title"), title
    for number, turn in enumerate(turns, 1):
        position, answer = str(number), turn.answer
        yield gettext("Question {number}", number=position), turn.question
        yield gettext("Answer {number}", number=position), with_pictures(answer.bracketed_text, answer.pictures)
        yield gettext("Answer {number}", number=position), ending_words(answer)
        for index, point in enumerate(answer.data_points):
            source = title_of_source(point, point.id).title
            where = gettext("Source “{source}” of answer {number}", source=source, number=position)
            yield where, _source(point)
            if index in turn.pages:
                yield (
                    gettext("Document “{source}” of answer {number}", source=source, number=position),
                    plain_text(turn.pages[index]),
                )
        if with_thoughts:
            yield gettext("Thoughts of answer {number}", number=position), _thoughts(answer)


def _source(point: DataPoint) -> str:
    query = scalar((point.step or {}).get("query"))
    return "\n".join(filter(None, (point.id, point.source, point.url, point.text, query)))


def _thoughts(answer: Answer) -> str:
    told = [json.dumps(asdict(thought), ensure_ascii=False, default=str) for thought in answer.thoughts]
    return "\n".join(filter(None, (answer.reasoning, *told)))
