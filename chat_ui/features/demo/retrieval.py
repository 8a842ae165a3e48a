"""Ranked in-memory retrieval of passages with SQLite FTS5 (BM25, Porter stemming), and its queries.

A query has the significant words of a question, and of the preceding question if needed.
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
_NUMBER_WANTED = re.compile(r"\b(how (many|much|long|fast|soon|often|far)|when|cost|price|rate|limit)", re.IGNORECASE)
_LEANS_ON_BEFORE = re.compile(
    r"^\s*(and|or|but|so|then|what about|how about|also|only|why)\b"
    r"|\b(it|its|they|them|their|that|those|these|this|(?<!is )(?<!are )there|he|she|same|else|ones?)\b",
    re.IGNORECASE,
)

FIT = 0.45
"""The minimum share of a query's words, weighted by rarity, in a relevant passage."""

PREVIOUS_WEIGHT = 0.5
"""The weight of the preceding question's words, relative to this question's."""

NUMBER_BONUS = 1.3
"""The factor for a unit with a digit if the question asks for a number."""

LEAD_BONUS = (1.2, 1.15)
"""The factors for the first sentences of a paragraph, which introduce its subject."""


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
    def wants_number(self) -> bool:
        return _NUMBER_WANTED.search(self.question) is not None


def content_terms(question: str) -> tuple[str, ...]:
    """The significant words of a question without repetition, in order, at most `MAX_TERMS`."""
    found = (word.lower() for word in _WORD.findall(question))
    words = (SPELLED_OUT.get(word, word) for word in found)
    terms = dict.fromkeys(word for word in words if word not in STOP_WORDS and len(word) > 1)
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
    """A found passage; a higher `score` (from 0) is better; `FIT` is the minimum of `coverage`, 0 to 1."""

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
        self._lock = Lock()
        self._database = sqlite3.connect(":memory:", check_same_thread=False)
        tokenizer = "tokenize='porter unicode61 remove_diacritics 2'"
        self._database.execute(
            f"CREATE VIRTUAL TABLE passage USING fts5(title, headings, questions, body, {tokenizer})"
        )
        self._database.execute(f"CREATE VIRTUAL TABLE unit USING fts5(heading, question, body, {tokenizer})")
        self._database.executemany(
            "INSERT INTO passage(rowid, title, headings, questions, body) VALUES (?, ?, ?, ?, ?)",
            (
                (row, p.title, " ".join(p.headings), " ".join(p.questions), _searchable(p))
                for row, p in enumerate(self.passages)
            ),
        )
        self._database.executemany(
            "INSERT INTO unit(rowid, heading, question, body) VALUES (?, ?, ?, ?)",
            (
                (row, section.heading, section.question, unit.text)
                for row, unit in enumerate(self._units)
                for section in (unit.passage.sections[unit.section],)
            ),
        )

    def search(self, query: Query, top: int) -> tuple[Hit, ...]:
        """At most `top` passages that match, best first."""
        with self._lock:
            scores = self._ranks("passage", query, (1.5, 3.0, 2.0, 1.0))
            coverage = self._coverage(query)
        hits = [
            Hit(self.passages[row], score * (0.3 + coverage.get(row, 0.0)), coverage.get(row, 0.0))
            for row, score in scores.items()
        ]
        return tuple(sorted(hits, key=lambda hit: -hit.score)[:top])

    def quotable(self, query: Query, hits: Iterable[Hit]) -> tuple[ScoredUnit, ...]:
        """The units of the hits with words of the query, best first, by their and the passage's score."""
        weight = {hit.passage.id: hit.score for hit in hits}
        best = max(weight.values(), default=0.0) or 1.0
        with self._lock:
            scores = self._ranks("unit", query, (0.7, 0.7, 1.0))
        found = []
        for row, rank in scores.items():
            unit = self._units[row]
            score = rank * (0.3 + weight.get(unit.passage.id, 0.0) / best)
            if unit.passage.id not in weight:
                continue
            if query.wants_number and any(sign.isdigit() for sign in unit.text):
                score *= NUMBER_BONUS
            if not unit.is_row and unit.part < len(LEAD_BONUS):
                score *= LEAD_BONUS[unit.part]
            found.append(ScoredUnit(unit, score))
        return tuple(sorted(found, key=lambda scored: -scored.score))

    def _ranks(self, table: str, query: Query, weights: tuple[float, ...]) -> dict[int, float]:
        scores: dict[int, float] = {}
        columns = ", ".join(str(weight) for weight in weights)
        # The table and the weights are constants of this module; typed words are bound parameters.
        statement = f"SELECT rowid, -bm25({table}, {columns}) FROM {table} WHERE {table} MATCH ?"  # noqa: S608
        for terms, weight in ((query.terms, 1.0), (query.previous_terms, PREVIOUS_WEIGHT)):
            if terms:
                expression = " OR ".join(_expression(term) for term in terms)
                for row, score in self._database.execute(statement, (expression,)):
                    scores[row] = scores.get(row, 0.0) + weight * score
        return scores

    def _coverage(self, query: Query) -> dict[int, float]:
        covered: dict[int, float] = {}
        total = 0.0
        for terms, weight in ((query.terms, 1.0), (query.previous_terms, PREVIOUS_WEIGHT)):
            for term in terms:
                rows = [
                    row
                    for (row,) in self._database.execute(
                        "SELECT rowid FROM passage WHERE passage MATCH ?", (_expression(term),)
                    )
                ]
                rarity = weight * math.log(1 + (len(self.passages) - len(rows) + 0.5) / (len(rows) + 0.5))
                total += rarity
                for row in rows:
                    covered[row] = covered.get(row, 0.0) + rarity
        return {row: part / total for row, part in covered.items()}


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
    return "(" + " OR ".join(f'"{word}"' for word in (term, *SYNONYMS.get(term, ()))) + ")"


def _searchable(passage: Passage) -> str:
    return " ".join(unit.text for unit in _units_of(passage))


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
