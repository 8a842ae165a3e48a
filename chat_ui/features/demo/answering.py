"""Extractive answers: sentences and table rows of the documents, each followed by its citation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chat_ui.features.demo.library import COMPANY, Bullets, Passage, Prose, Table
from chat_ui.features.demo.retrieval import (
    FIT,
    Hit,
    Index,
    Query,
    ScoredUnit,
    Unit,
    content_terms,
    make_query,
    with_previous,
)

STARTER_QUESTIONS: tuple[str, ...] = (
    "What do the health plans cost and what do they cover?",
    "Who do I call when my security key is lost?",
    "What must I do in my first month?",
    "How much does a navigation buoy cost and how long does delivery take?",
)
"""Questions for an empty page; the documents answer each from two or three sources."""

_QUOTED = 120
"""Characters of a quoted question."""

MAX_QUOTES = 4
MAX_ROWS = 8
MAX_FOLLOWUPS = 3
KEEP = 0.55
"""Minimum score of a quoted unit, as a share of the best score."""

KEEP_ROW = 0.8
"""Minimum score of a table's row, as a share of that table's best score."""


@dataclass(frozen=True, slots=True)
class Finding:
    """The passages found for a question, and their answer. `text` is Markdown with citations, or a sentence that the
    documents do not answer, with empty `hits` and `quoted`. `followups` are questions that the documents answer.
    """

    query: Query
    hits: tuple[Hit, ...]
    quoted: tuple[ScoredUnit, ...]
    text: str
    followups: tuple[str, ...]


def find(index: Index, question: str, previous: str | None, top: int) -> Finding:
    """Search and compose, with at least `top` (from 1) passages; blocks for some milliseconds. `previous` is the
    preceding question of the conversation, if any.
    """
    query = make_query(question, previous)
    # Additional passages provide the follow-up questions.
    wider = index.search(query, top + 6)
    if previous is not None and not query.previous_terms and not _fitting(wider):
        query = with_previous(query, previous)
        wider = index.search(query, top + 6)
    hits = _fitting(wider)[:top]
    quoted = choose(index.quotable(query, hits))
    if not quoted:
        return Finding(query, (), (), nothing_found(query), STARTER_QUESTIONS[:MAX_FOLLOWUPS])
    return Finding(query, hits, quoted, compose(quoted), followups(query, quoted, wider, index.passages))


def choose(scored: Sequence[ScoredUnit]) -> tuple[ScoredUnit, ...]:
    """The units to quote, with nearly the best score, at most `MAX_QUOTES`. Rows of a table count as a single quote,
    and only rows near the table's best score are quoted.
    """
    chosen: list[ScoredUnit] = []
    quotes = 0
    tables: dict[tuple[str, int, int], float] = {}
    for candidate in scored:
        if candidate.score < KEEP * scored[0].score:
            break
        unit = candidate.unit
        place = (unit.passage.id, unit.section, unit.block)
        if unit.is_row and place in tables:
            if candidate.score >= KEEP_ROW * tables[place]:
                chosen.append(candidate)
        elif quotes < MAX_QUOTES:
            quotes += 1
            chosen.append(candidate)
            if unit.is_row:
                tables[place] = candidate.score
    return tuple(chosen)


def compose(quoted: Sequence[ScoredUnit]) -> str:
    """Markdown of the quoted units: by passage, best first, in the document's order, each with its citation."""
    passages = dict.fromkeys(scored.unit.passage for scored in quoted)
    return "\n\n".join(
        _quote(passage, [scored.unit for scored in quoted if scored.unit.passage is passage]) for passage in passages
    )


def nothing_found(query: Query) -> str:
    asked = " ".join(query.question.split())
    quoted = asked if len(asked) <= _QUOTED else asked[: _QUOTED - 1] + "…"
    return (
        f"I found nothing about “{quoted}” in the documents of {COMPANY}. "
        "They cover working there (leave, health plans, pension, travel, equipment, safety) "
        "and its buoys and prices. Try one of the questions below."
    )


def followups(
    query: Query, quoted: Sequence[ScoredUnit], wider: Sequence[Hit], passages: Sequence[Passage]
) -> tuple[str, ...]:
    """Questions that the documents answer: first on unquoted sections of `wider` (best first), then on their
    neighbours.

    A question equal to `query` is excluded. `quoted` are the answer's units. Neighbours are the `passages` of the best
    hit's document.
    """
    quoted_sections = {(scored.unit.passage.id, scored.unit.section) for scored in quoted}
    near = [hit.passage for hit in _fitting(wider)]
    neighbours = [passage for passage in passages if passage.document == wider[0].passage.document]
    found = dict.fromkeys(
        section.question
        for passage in (*near, *neighbours)
        for number, section in enumerate(passage.sections)
        if section.question and (passage.id, number) not in quoted_sections
    )
    asked = set(query.terms)
    return tuple(question for question in found if set(content_terms(question)) != asked)[:MAX_FOLLOWUPS]


def _fitting(hits: Sequence[Hit]) -> tuple[Hit, ...]:
    return tuple(hit for hit in hits if hit.coverage >= FIT)


def _quote(passage: Passage, units: Sequence[Unit]) -> str:
    citation = f"[{passage.id}]"
    parts: list[str] = []
    sentences: list[str] = []
    items: list[str] = []

    def close() -> None:
        if sentences:
            parts.append(" ".join(sentences))
            sentences.clear()
        if items:
            parts.append("\n".join(items))
            items.clear()

    tables: set[tuple[int, int]] = set()
    for unit in sorted(units, key=lambda unit: (unit.section, unit.block, unit.part)):
        block = passage.sections[unit.section].blocks[unit.block]
        match block:
            case Prose():
                if items:
                    close()
                sentences.append(_cited(unit.text, citation))
            case Bullets():
                if sentences:
                    close()
                items.append(f"- {_cited(unit.text, citation)}")
            case Table():
                if (place := (unit.section, unit.block)) not in tables:
                    tables.add(place)
                    close()
                    rows = {other.part for other in units if (other.section, other.block) == place}
                    parts.append(_table(passage.sections[unit.section].heading, block, rows, citation))
    close()
    return "\n\n".join(parts)


def _cited(text: str, citation: str) -> str:
    """A sentence with its citation before the full stop, like real backends of the dialects."""
    return f"{text[:-1]} {citation}." if text.endswith(".") else f"{text} {citation}"


def _table(heading: str, table: Table, rows: set[int], citation: str) -> str:
    shown = [row for number, row in enumerate(table.rows) if number in rows]
    lines = [table.header, ("---",) * len(table.header), *shown[:MAX_ROWS]]
    body = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"{heading} {citation}:\n\n{body}"
