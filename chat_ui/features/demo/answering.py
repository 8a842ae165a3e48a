"""Extractive answers: sentences and table rows of the documents, each followed by its citation."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import cast

from chat_ui.features.demo.library import COMPANY, Bullets, Passage, Prose, Table
from chat_ui.features.demo.retrieval import (
    Hit,
    Index,
    Place,
    Query,
    ScoredUnit,
    Unit,
    content_terms,
    make_query,
    with_previous,
)

STARTER_QUESTIONS: tuple[str, ...] = (
    "How much parental leave do I get?",
    "How do the health plans compare?",
    "Who do I call when my security key is lost?",
    "Can I bring my dog to the office?",
)
"""Questions for an empty page. The documents do not answer the last."""

NO_ANSWER = (
    f"The documents of {COMPANY} do not answer this question. "
    "They cover leave, health plans, pension, travel, equipment and safety, and its buoys and their prices."
)

MAX_QUOTES = 4
MAX_ROWS = 10
MAX_FOLLOWUPS = 3
KEEP = 0.8
"""Minimum score of a quoted unit, as a share of the best score."""

MORE = 2
"""Sentences that may follow the best one from its paragraph."""

KEEP_ROW = 0.9
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
    """Search and compose, with at most `top` (from 1) passages; blocks for some milliseconds. `previous` is the
    preceding question of the conversation, if any.
    """
    query = make_query(question, previous)
    hits, scored = index.search(query, top)
    if previous is not None and not query.previous_terms and not hits:
        query = with_previous(query, previous)
        hits, scored = index.search(query, top)
    quoted = choose(scored)
    if not quoted:
        return Finding(query, (), (), NO_ANSWER, ())
    return Finding(query, hits, quoted, compose(quoted), followups(query, quoted, index.passages))


def choose(scored: Sequence[ScoredUnit]) -> tuple[ScoredUnit, ...]:
    """At most `MAX_QUOTES` units: the best, the sentences or the table after it, and others with nearly its score.

    Rows of a table count as a single quote, and only rows near the table's best score are quoted.
    """
    chosen: list[ScoredUnit] = []
    quotes = 0
    tables: dict[tuple[Place, int], float] = {}
    following = sorted((one for one in scored if _follows(one.unit, scored[0].unit)), key=lambda one: one.unit.part)
    fitting = (one for one in scored if one.score >= KEEP * scored[0].score)
    for candidate in dict.fromkeys((*scored[:1], *following, *fitting)):
        unit = candidate.unit
        table = unit.place, unit.block
        if unit.is_row and table in tables:
            if candidate.score >= KEEP_ROW * tables[table]:
                chosen.append(candidate)
        elif quotes < MAX_QUOTES:
            quotes += 1
            chosen.append(candidate)
            if unit.is_row:
                tables[table] = candidate.score
    return tuple(chosen)


def _follows(unit: Unit, best: Unit) -> bool:
    """Whether a unit is one of the next sentences, or a row of the table that the best sentence introduces."""
    block = best.passage.sections[best.section].blocks[best.block]
    if not isinstance(block, Prose) or unit.place != best.place:
        return False
    if unit.is_row:
        return unit.block == best.block + 1 and best.part + 1 == len(block.sentences)
    return unit.block == best.block and 0 < unit.part - best.part <= MORE


def compose(quoted: Sequence[ScoredUnit]) -> str:
    """Markdown of the quoted units by passage, each with its citation: the best unit first, then its section and the
    others in the document's order.
    """
    passages = dict.fromkeys(scored.unit.passage for scored in quoted)
    return "\n\n".join(
        _quote(passage, [scored.unit for scored in quoted if scored.unit.passage is passage]) for passage in passages
    )


def followups(query: Query, quoted: Sequence[ScoredUnit], passages: Sequence[Passage]) -> tuple[str, ...]:
    """Questions on unquoted sections: first of the best unit's passage, then of the cited documents among the
    `passages`. A question equal to `query` is excluded. `quoted` are the answer's units.
    """
    cited = dict.fromkeys(scored.unit.passage.document for scored in quoted)
    neighbours = (passage for document in cited for passage in passages if passage.document == document)
    quoted_places = {scored.unit.place for scored in quoted}
    found = dict.fromkeys(
        section.question
        for passage in (quoted[0].unit.passage, *neighbours)
        for number, section in enumerate(passage.sections)
        if section.question and (passage.id, number) not in quoted_places
    )
    asked = set(query.terms)
    return tuple(question for question in found if set(content_terms(question)) != asked)[:MAX_FOLLOWUPS]


def _quote(passage: Passage, units: Sequence[Unit]) -> str:
    citation, best = f"[{passage.id}]", units[0]

    def place(unit: Unit) -> tuple[bool, bool, int, int, int]:
        return unit is not best, unit.section != best.section, unit.section, unit.block, unit.part

    def kind(unit: Unit) -> type[Prose | Bullets | Table]:
        return type(passage.sections[unit.section].blocks[unit.block])

    shown: dict[tuple[int, int, int], Unit] = {}
    for unit in sorted(units, key=place):
        # A table has all its rows at the place of the first.
        shown.setdefault((unit.section, unit.block, 0 if unit.is_row else unit.part), unit)
    parts: list[str] = []
    for of, group in groupby(shown.values(), kind):
        if of is Table:
            parts += [_table(unit, units, citation) for unit in group]
        else:
            cited = [_cited(unit.text, citation) for unit in group]
            parts.append(" ".join(cited) if of is Prose else "\n".join(f"- {item}" for item in cited))
    return "\n\n".join(parts)


def _cited(text: str, citation: str) -> str:
    """A sentence with its citation before the full stop, like real backends of the dialects."""
    return f"{text[:-1]} {citation}." if text.endswith(".") else f"{text} {citation}"


def _table(first: Unit, units: Sequence[Unit], citation: str) -> str:
    """The rows among the `units` of the table of the `first` one, below its heading."""
    section = first.passage.sections[first.section]
    table = cast("Table", section.blocks[first.block])
    rows = {unit.part for unit in units if (unit.section, unit.block) == (first.section, first.block)}
    shown = [(*row[:-1], f"{row[-1]} {citation}") for number, row in enumerate(table.rows) if number in rows]
    lines = [table.header, ("---",) * len(table.header), *shown[:MAX_ROWS]]
    body = "\n".join(f"| {' | '.join(line)} |" for line in lines)
    return f"### {section.heading}\n\n{body}"
