"""Feedback as lines of a file: JSON Lines, which `evaluate` takes as questions, or CSV for a spreadsheet.

A JSON line is for an answer:

    {"question", "messages"?, "truth"?, "answer", "status", "error"?, "recorded_at"?, "imported"?, "rating", "reasons",
     "comment", "doubted": [{"use", "label", "claim", "passage"?, "comment"}], "sources": [{"label", "text"}],
     "backend": {"name", "url", "dialect"}, "options", "answered_at", "given_at"}

`truth` is a complete answer with a good rating. An `imported` answer is not a truth, as a person's file may be forged.
`messages` are the messages before the question, if any, and the question. `use` counts the citations in the text from
1. Times are in ISO 8601, UTC. Lines do not identify the person.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Final
from urllib.parse import urlsplit

from chat_ui.backends.offer import backend_name
from chat_ui.conversations.records.feedback import DoubtedCitation, Rating
from chat_ui.conversations.records.records import FeedbackEntry, Status
from chat_ui.features.evaluation.question_set import LONGEST
from chat_ui.languages.translation import translated
from chat_ui.protocol.answers.data_points import DataPoint
from chat_ui.protocol.clean_text import clean_json, clean_text
from chat_ui.protocol.events import Json, JsonObject
from chat_ui.protocol.transport.guard import origin_of

COLUMNS: Final = (
    "question", "truth", "rating", "reasons", "comment", "doubted", "answer", "sources", "backend", "options",
    "recorded_at", "imported", "answered_at", "given_at",
)  # fmt: skip
"""The columns of `csv_line`, in their order."""
_BYTE_ORDER_MARK: Final = "\N{ZERO WIDTH NO-BREAK SPACE}"
"""Spreadsheets misread UTF-8 without it."""
_NO_WORDS: Final = "…"
"""Replaces a question without words."""
_FORMULA: Final = re.compile(r'(?:\A|(?<=[;\t\r\n]))(?=[ "]*[-=+@＝＋－＠])')
"""The position of a formula, also after other separators than a comma, with which a spreadsheet may split our cells."""


def json_object(given: FeedbackEntry) -> dict[str, Json]:
    feedback, generation, answer = given.feedback, given.generation, given.generation.answer
    points = answer.data_points
    question = _question(given)
    found: dict[str, Json] = {"question": question}
    if messages := _messages(given, question):
        found["messages"] = messages
    if truth := _truth(given):
        found["truth"] = truth
    found |= {"answer": answer.text, "status": generation.status.value}
    if answer.citations:
        found["citations"] = [citation._asdict() for citation in answer.citations]
    if answer.error is not None:
        found["error"] = translated(answer.error.message)
    if answer.recorded_at is not None:
        found["recorded_at"] = answer.recorded_at
    if generation.is_imported:
        found["imported"] = True
    return found | {
        "rating": feedback.rating.value if feedback.rating is not None else None,
        "reasons": [reason.value for reason in feedback.reasons],
        "comment": feedback.comment,
        "doubted": [_doubted(one, points) for one in feedback.doubted],
        "sources": [{"label": point.id, "text": point.text} for point in points],
        "backend": _backend(generation.backend),
        "options": clean_json(generation.overrides),
        "answered_at": _moment(generation.started_at),
        "given_at": _moment(feedback.given_at),
    }


def json_line(given: FeedbackEntry) -> str:
    return json.dumps(json_object(given), ensure_ascii=False) + "\n"


def csv_head() -> str:
    return _BYTE_ORDER_MARK + _csv_line(COLUMNS)


def csv_line(given: FeedbackEntry) -> str:
    """A CSV record with its line end; an apostrophe precedes each formula."""
    found = json_object(given)
    backend = _backend(given.generation.backend)
    cells: dict[str, str] = {
        "question": str(found["question"]),
        "truth": _truth(given),
        "rating": given.feedback.rating or "",
        "reasons": ", ".join(given.feedback.reasons),
        "comment": given.feedback.comment,
        "doubted": "\n".join(_doubt_in_words(one) for one in given.feedback.doubted),
        "answer": given.generation.answer.bracketed_text,
        "sources": "\n".join(point.id for point in given.generation.answer.data_points),
        "backend": backend["name"],
        "options": json.dumps(found["options"], ensure_ascii=False) if found["options"] else "",
        "recorded_at": given.generation.answer.recorded_at or "",
        "imported": "yes" if given.generation.is_imported else "",
        "answered_at": str(found["answered_at"]),
        "given_at": str(found["given_at"]),
    }
    safe = {column: _not_run(cell) for column, cell in cells.items()}
    # The apostrophes may exceed the limit of `evaluate`, which would reject the whole file.
    safe |= {"question": safe["question"][:LONGEST], "truth": safe["truth"] if len(safe["truth"]) <= LONGEST else ""}
    return _csv_line(safe.values())


def _csv_line(cells: Iterable[str]) -> str:
    line = io.StringIO(newline="")
    csv.writer(line, quoting=csv.QUOTE_ALL).writerow(cells)
    return line.getvalue()


def _not_run(cell: str) -> str:
    return _FORMULA.sub("'", cell)


def _question(given: FeedbackEntry) -> str:
    """The question, cut to the limit of `evaluate`, which rejects a file with an empty question."""
    question = given.question[:LONGEST]
    return question if clean_text(question).strip() else _NO_WORDS


def _truth(given: FeedbackEntry) -> str:
    text, is_own = given.generation.answer.bracketed_text, not given.generation.is_imported
    is_complete = given.generation.status is Status.FINISHED and len(text) <= LONGEST
    return text if is_own and is_complete and given.feedback.rating is Rating.GOOD else ""


def _messages(given: FeedbackEntry, question: str) -> list[Json]:
    """The messages up to the question, in the format of `evaluate`; empty for a single question."""
    room = LONGEST - len(question)
    said: list[Json] = []
    for asked, answered in reversed(given.said_before):
        room -= len(asked) + len(answered)
        if room < 0:
            break
        if answered.strip():
            said[:0] = [{"role": "user", "content": asked}, {"role": "assistant", "content": answered}]
    return [*said, {"role": "user", "content": question}] if said else []


def _doubted(citation: DoubtedCitation, points: tuple[DataPoint, ...]) -> JsonObject:
    found: dict[str, Json] = {"use": citation.use + 1, "label": citation.label, "claim": citation.claim}
    if citation.data_point is not None and citation.data_point < len(points):
        found["passage"] = points[citation.data_point].text
    return {**found, "comment": citation.comment}


def _doubt_in_words(citation: DoubtedCitation) -> str:
    return ": ".join(filter(None, (f"[{citation.label}] {citation.claim}".strip(), citation.comment)))


def _backend(asked_of: JsonObject) -> dict[str, str]:
    """The backend; only the origin and path of its address, since the rest may be secret."""
    url = str(asked_of.get("url") or "")
    parts = urlsplit(url) if origin_of(url) else None
    return {
        "name": backend_name(asked_of),
        "url": f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path}" if parts is not None else "",
        "dialect": str(asked_of.get("dialect") or ""),
    }


def _moment(seconds: float) -> str:
    """The time in ISO 8601; empty if out of range, as in some imported files."""
    try:
        return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
    except (OverflowError, OSError, ValueError):
        return ""
