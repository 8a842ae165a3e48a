"""Ranked in-memory retrieval of passages with SQLite FTS5 (BM25, Porter stemming), and its queries.

A query has the significant words of a question, and of the preceding question if needed. A passage is relevant if one
of its sections has enough of these words, weighted by rarity.
"""

from __future__ import annotations

import math
import re
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import TypeAlias

from chat_ui.features.demo.library import Bullets, Passage, Prose, Table, read_library

STOP_WORDS = frozenset((Path(__file__).parent / "stop_words.txt").read_text("utf-8").split())
"""Stop words of English, some of Polish and German, and words of every document here."""

MAX_TERMS = 40

SYNONYMS: dict[str, list[str]] = {
    word: others.split(", ")
    for line in (Path(__file__).parent / "synonyms.txt").read_text("utf-8").splitlines()
    for word, _, others in [line.partition(": ")]
}
"""Words and phrases in the documents for a word."""

SPELLED_OUT = {"aed": "defibrillator"}
"""Abbreviations that the Porter stemmer would treat as past participles."""

_WORD = re.compile(r"[^\W_]+")
_CONTRACTION = re.compile(r"(?:n['’]t|['’](?:s|m|d|re|ve|ll))\b", re.IGNORECASE)
_WANTED = tuple(
    (re.compile(rf"\b({asked})\b", re.IGNORECASE), re.compile(rf"\b({told})", re.IGNORECASE))
    for asked, told in (
        (
            "when|what time|how (long|soon|early|late|fast|quickly|often)",
            r"\d\d?:\d\d|\d+(st|nd|rd|th)|(minute|hour|day|week|month|year)s?|"
            "january|february|march|april|june|july|august|september|october|november|december",
        ),
        ("how (many|much|far|heavy|large|big)|cost|price|rate|limit|call|ring|phone|number", r"\d"),
    )
)
"""Patterns of a question that asks for a time or a number, each with that of a unit that has one."""
_LEANS_ON_BEFORE = re.compile(
    r"^\s*(and|or|but|so|then|what about|how about|also|only|why)\b"
    r"|\b(it|its|they|them|their|that|those|these|this|(?<!is )(?<!are )there|he|she|same|else|ones?)\b",
    re.IGNORECASE,
)

FIT = 0.43
"""The minimum share of a query's words, weighted by rarity, in a relevant section with several of them."""

FIT_OF_ONE = 0.65
"""The minimum in a section with one of the query's words."""

MIN_RARITY = 1.2
"""The minimum rarity of a query's words: words that every third section has find nothing."""

NEAR = 0.75
"""The minimum of that share relative to the best section's."""

ABOVE_WEIGHT = 0.5
"""The weight of a word in the title, heading or question above a sentence, relative to one in the sentence."""

RANKED = 0.3
"""The part of BM25 in a unit's score; it prefers short sentences and fitting headings."""

PREVIOUS_WEIGHT = 0.5
"""The weight of the preceding question's words, relative to this question's."""

WANTED_BONUS = 1.15
"""The factor for a unit with a time or a number if the question asks for one."""

LEAD_BONUS = 1.1
"""The factor for the first sentence of a paragraph, which introduces its subject."""


Place: TypeAlias = "tuple[str, int]"
"""A section: the id of its passage, and its number there."""


@dataclass(frozen=True, slots=True)
class Query:
    """A search: the words of a question, and of the preceding question if it refers to that. `terms` and
    `previous_terms` are lower case, without stop words or repetition.
    """

    question: str
    terms: tuple[str, ...]
    previous_terms: tuple[str, ...] = ()

    def __str__(self) -> str:
        """The query as one line, most recent words first."""
        return " ".join((*self.terms, *self.previous_terms))

    @property
    def wanted(self) -> list[re.Pattern[str]]:
        """Patterns of the times or numbers for which the question asks."""
        return [told for asked, told in _WANTED if asked.search(self.question)]


def content_terms(question: str) -> tuple[str, ...]:
    """The significant words of a question without repetition, in order, at most `MAX_TERMS`."""
    found = (word.lower() for word in _WORD.findall(_CONTRACTION.sub("", question)))
    words = (SPELLED_OUT.get(word, word) for word in found)
    terms = dict.fromkeys(word for word in words if word not in STOP_WORDS and (len(word) > 1 or word.isdigit()))
    return tuple(terms)[:MAX_TERMS]


def make_query(question: str, previous: str | None) -> Query:
    """The query for a question and its preceding question. The preceding words are added if the question refers back
    (`And in Bergen?`, `Who approves that?`) or has only stop words.
    """
    terms = content_terms(question)
    if previous is None or (terms and not _LEANS_ON_BEFORE.search(question)):
        return Query(question, terms)
    return with_previous(Query(question, terms), previous)


def with_previous(query: Query, previous: str) -> Query:
    before = tuple(term for term in content_terms(previous) if term not in query.terms)
    return Query(query.question, query.terms, before)


@dataclass(frozen=True, slots=True)
class Hit:
    """A found passage; a higher `score` (from 0) is better. `coverage` is the share of the query's words, weighted by
    rarity, in its best section.
    """

    passage: Passage
    score: float
    coverage: float


@dataclass(frozen=True, slots=True)
class Unit:
    """The smallest quotable unit: sentence, list item or table row, by its position in the passage. `row` is the row of
    the table at `block`; otherwise `part` is the sentence or item.
    """

    passage: Passage
    section: int
    block: int
    part: int
    text: str
    is_row: bool

    @property
    def place(self) -> Place:
        return self.passage.id, self.section


@dataclass(frozen=True, slots=True)
class ScoredUnit:
    """A unit and its relevance to the query; higher is better."""

    unit: Unit
    score: float


class Index:
    """The searchable passages. Its methods block for some milliseconds and are thread-safe."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self.passages = tuple(passages)
        self._units = tuple(unit for passage in self.passages for unit in _units_of(passage))
        self._sections = sum(len(passage.sections) for passage in self.passages)
        self._lock = Lock()
        self._database = sqlite3.connect(":memory:", check_same_thread=False)
        tokenizer = "tokenize='porter unicode61 remove_diacritics 2'"
        self._database.execute(f"CREATE VIRTUAL TABLE unit USING fts5(above, body, {tokenizer})")
        self._database.executemany(
            "INSERT INTO unit(rowid, above, body) VALUES (?, ?, ?)",
            (
                (row, f"{unit.passage.title} {section.heading} {section.question}", unit.text)
                for row, unit in enumerate(self._units)
                for section in (unit.passage.sections[unit.section],)
            ),
        )

    def search(self, query: Query, top: int) -> tuple[tuple[Hit, ...], tuple[ScoredUnit, ...]]:
        """At most `top` relevant passages, and their units with words of the query, both best first."""
        with self._lock:
            coverage, shares = self._shares(query)
            ranks = self._ranks(query)
        # The length of a row says nothing about its relevance: all rows of a table get the best one's rank.
        tables: dict[tuple[Place, int], float] = {}
        for row, rank in ranks.items():
            table = self._units[row].place, self._units[row].block
            tables[table] = max(rank, tables.get(table, 0.0))
        best = max((ranks[row] for row in shares), default=1.0)
        wanted = query.wanted
        found: list[ScoredUnit] = []
        for row, share in shares.items():
            unit = self._units[row]
            rank = (tables[unit.place, unit.block] if unit.is_row else ranks[row]) / best
            score = (share + coverage[unit.place]) * (1 - RANKED + RANKED * rank)
            if any(told.search(unit.text) for told in wanted):
                score *= WANTED_BONUS
            if not unit.is_row and unit.part == 0:
                score *= LEAD_BONUS
            found.append(ScoredUnit(unit, score))
        found.sort(key=lambda scored: -scored.score)
        hits: dict[str, Hit] = {}
        for scored in found:
            passage = scored.unit.passage
            hits.setdefault(passage.id, Hit(passage, scored.score, coverage[scored.unit.place]))
        shown = dict(list(hits.items())[:top])
        return tuple(shown.values()), tuple(scored for scored in found if scored.unit.passage.id in shown)

    def _ranks(self, query: Query) -> dict[int, float]:
        """The BM25 of each unit's row; words of the title, heading and question count 1.5 times."""
        scores: dict[int, float] = {}
        for terms, weight in ((query.terms, 1.0), (query.previous_terms, PREVIOUS_WEIGHT)):
            if terms:
                expression = " OR ".join(_expression(term) for term in terms)
                for row, score in self._database.execute(
                    "SELECT rowid, -bm25(unit, 1.5, 1.0) FROM unit WHERE unit MATCH ?", (expression,)
                ):
                    scores[row] = scores.get(row, 0.0) + weight * score
        return scores

    def _shares(self, query: Query) -> tuple[dict[Place, float], dict[int, float]]:
        """The share of the query's words, weighted by rarity, in each relevant section, and in its units by row. In a
        unit, a word only in the text above it counts `ABOVE_WEIGHT`.
        """
        sections: dict[Place, list[float]] = {}
        units: dict[int, float] = {}
        total = 0.0
        for terms, weight in ((query.terms, 1.0), (query.previous_terms, PREVIOUS_WEIGHT)):
            for term in terms:
                above, body = (self._rows(column, term) for column in ("above", "body"))
                among = {self._units[row].place for row in above | body}
                rarity = weight * math.log(1 + (self._sections - len(among) + 0.5) / (len(among) + 0.5))
                total += rarity
                for place in among:
                    sections.setdefault(place, []).append(rarity)
                for row in above | body:
                    units[row] = units.get(row, 0.0) + rarity * (1 if row in body else ABOVE_WEIGHT)
        shares = {
            place: sum(found) / total
            for place, found in sections.items()
            if total >= MIN_RARITY and sum(found) >= total * (FIT if len(found) > 1 else FIT_OF_ONE)
        }
        least = NEAR * max(shares.values(), default=0.0)
        relevant = {place: share for place, share in shares.items() if share >= least}
        return relevant, {row: share / total for row, share in units.items() if self._units[row].place in relevant}

    def _rows(self, column: str, term: str) -> set[int]:
        expression = f"{column}: {_expression(term)}"
        return {row for (row,) in self._database.execute("SELECT rowid FROM unit WHERE unit MATCH ?", (expression,))}


_building = Lock()


@lru_cache(maxsize=1)
def _index() -> Index:
    return Index(read_library())


def demo_index() -> Index:
    """The index of the demo's documents, built at the first call (about 100 ms) and then cached."""
    with _building:
        return _index()


def _expression(term: str) -> str:
    """An FTS5 expression for a term and its synonyms; quotes suffice, as words have only letters and digits."""
    others = SYNONYMS.get(term) or SYNONYMS.get(term.removesuffix("s")) or ()
    return "(" + " OR ".join(f'"{word}"' for word in (term, *others)) + ")"


def _units_of(passage: Passage) -> Iterable[Unit]:
    for section_number, section in enumerate(passage.sections):
        for block_number, block in enumerate(section.blocks):
            match block:
                case Prose(parts) | Bullets(parts):
                    texts = parts
                case Table(header, rows):
                    texts = tuple(
                        "; ".join(f"{name}: {cell}" for name, cell in zip(header, row, strict=True)) for row in rows
                    )
            for part, text in enumerate(texts):
                yield Unit(passage, section_number, block_number, part, text, isinstance(block, Table))
