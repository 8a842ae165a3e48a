"""A text that was read: its values, clauses and words. Arabic vowel signs and characters without width are left out."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from chat_ui.features.claims.vocabulary import Unit, Vocabulary, bare
from chat_ui.rendering.citations.sentences import sentence_starts

_BREAK: Final = re.compile(r"[,،:](?!\d)|[;；：、，؛—]|\s[–-]\s(?!\d)|[.!?。！？؟]\s*|\n+|\|")
_CAPITAL: Final = re.compile(r"(?<=[^\W\d_] )[^\W\d_a-zà-öø-ÿ][^\W\d_]+")
_LETTERS: Final = re.compile(r"[^\W\d_]{2,}")
_WORD: Final = re.compile(
    r"[\u3400-\u9fff々]+|[\u30a1-\u30ffー・]+|[\u3040-\u309f]+|[^\W\d_\u3040-\u30ff\u3400-\u9fff]+"
)


@dataclass(slots=True)
class Value:
    """A number, date or time of the text. `soft` ones count where they agree and are never missed.

    `key` of a code or address is its text. A date has its fields, with 0 for unknown ones; `weekday` counts from 1.
    """

    start: int
    end: int
    kind: str
    number: float = 0.0
    unit: Unit | None = None
    noun: str = ""
    direction: str = ""
    about: bool = False
    soft: bool = False
    key: str = ""
    year: int = 0
    month: int = 0
    date: int = 0
    weekday: int = 0
    minutes: frozenset[int] = frozenset()
    last: int = 0
    """The last year of a decade or century."""
    clause: int = 0
    raw: float = 0.0
    """The number as it is written, without its scale."""
    top: float = 0.0
    """The other end of a range that the value begins."""

    @property
    def dimension(self) -> str:
        return self.unit.dimension if self.unit else ""

    @property
    def base(self) -> float:
        return self.number * (self.unit.factor if self.unit else 1)

    @property
    def word(self) -> str:
        """The word by which equal values are found."""
        if self.key or self.kind == "date":
            return f"#{self.key or (min(self.minutes, default=''), self.year, self.month, self.date, self.weekday)}"
        return f"#{round(self.base, 6):g}"


@dataclass(slots=True)
class Reading:
    """A text that was read: its values in order, and its clauses with their words."""

    text: str
    plain: str
    low: str
    words: Vocabulary
    values: list[Value] = field(default_factory=list)
    clauses: list[int] = field(default_factory=list)
    sentences: list[int] = field(default_factory=list)
    """The number of the sentence of each clause; a row of a table is one, and each of its cells a clause."""
    headers: dict[int, int] = field(default_factory=dict)
    """The clause of the header over the clause of a cell."""
    rows: set[int] = field(default_factory=set)
    tokens: list[tuple[int, int, str, int]] = field(default_factory=list)
    """The start, end, stem and clause of each meaningful word."""
    places: dict[str, list[int]] = field(default_factory=dict)
    """The clauses of each stem, in order."""
    offsets: list[int] | None = None
    kept: dict[Any, Any] = field(default_factory=dict)
    """Results of other modules for this text."""

    def clause_at(self, place: int) -> int:
        return max(0, bisect_right(self.clauses, place) - 1)

    def sentence_of(self, clause: int) -> range:
        """The clauses of a clause's sentence, at most 20 before and after it."""
        at = self.sentences[clause]
        low, high = max(0, clause - 20), min(len(self.sentences), clause + 21)
        return range(bisect_left(self.sentences, at, low, high), bisect_right(self.sentences, at, low, high))

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The place in the original text."""
        return (start, end) if self.offsets is None else (self.offsets[start], self.offsets[end - 1] + 1)

    def ends(self, clause: int) -> tuple[int, int]:
        """The place of a clause, without the white space and marks around it."""
        end = self.clauses[clause + 1] if clause + 1 < len(self.clauses) else len(self.low)
        text = self.low[self.clauses[clause] : end]
        start = end - len(text.lstrip(" |\n"))
        return start, max(start + 1, self.clauses[clause] + len(text.rstrip(" .,;:!?|\n。、،")))

    def split(self) -> None:
        """Find clauses and sentences, and the cells of tables."""
        starts = {0, *sentence_starts(self.plain)}
        self.clauses, self.sentences = [0], [0]
        header: list[int] = []
        row: list[int] = []
        in_row = self.plain.startswith("|")
        for match in _BREAK.finditer(self.plain):
            mark, end = match.group()[0], match.end()
            is_end = mark == "\n" or end in starts or mark in "。！？؟"
            if (mark == "|" and not in_row) or end >= len(self.low) or (mark in ".!?" and not is_end):
                continue
            if mark == "\n":
                header = (header or row) if in_row else []
                in_row, row = self.plain.startswith("|", end), []
            self.clauses.append(end)
            self.sentences.append(self.sentences[-1] + is_end)
            if mark == "|":
                if len(row) < len(header):
                    self.headers[len(self.clauses) - 1] = header[len(row)]
                row.append(len(self.clauses) - 1)
                self.rows.add(self.sentences[-1])

    def split_lists(self) -> None:
        """Divide a clause at an `and` with values or names on both sides, and a word between them."""
        things = sorted(
            [(value.start, value.end) for value in self.values if not value.soft]
            + [match.span() for match in _CAPITAL.finditer(self.plain) if self.words.tag not in {"de", "ar"}]
        )
        starts = [start for start, _ in things]
        added: dict[int, int] = {}
        for match in self.words.link.finditer(self.low):
            at = bisect_right(starts, match.start())
            clause = self.clause_at(match.start())
            if not 0 < at < len(things) or self.sentences[clause] in self.rows or things[at - 1][1] > match.start():
                continue
            before, after = things[at - 1], things[at]
            if clause == self.clause_at(before[0]) == self.clause_at(after[0]):
                between = self.low[before[1] : match.start()] + " " + self.low[match.end() : after[0]]
                if any(word not in self.words.stop for word in _LETTERS.findall(between)):
                    added[match.start()] = self.sentences[clause]
        old = self.clauses
        known = dict(zip(old, self.sentences, strict=True)) | added
        self.clauses = sorted(known)
        self.sentences = [known[start] for start in self.clauses]
        place = {start: index for index, start in enumerate(self.clauses)}
        self.headers = {place[old[cell]]: place[old[header]] for cell, header in self.headers.items()}

    def find_words(self, taken: bytearray) -> None:
        """Find the meaningful words outside of values, and the clauses of all."""
        for match in _WORD.finditer(self.low):
            start, end = match.span()
            word = match.group()
            unit = self.words.units.get(word)
            if taken[start] or word in self.words.stop or "\u3040" <= word[0] <= "\u309f":
                continue
            if "\u3400" <= word[0] <= "\u9fff":
                for at in range(max(1, len(word) - 1)):
                    self._token(start + at, min(end, start + at + 2), word[at : at + 2])
            elif word[0] >= "\u3040":
                self._token(start, end, word)
            elif (len(word) > 1 or self.plain[start].isupper()) and not (unit and unit.dimension in {"time", "months"}):
                self._token(start, end, stem(word, self.words))
        for value in self.values:
            value.clause = self.clause_at(value.start)
            self._token(value.start, value.end, value.word)
        self.tokens.sort()
        for listed in self.places.values():
            listed.sort()

    def _token(self, start: int, end: int, key: str) -> None:
        clause = self.clause_at(start)
        self.tokens.append((start, end, key, clause))
        listed = self.places.setdefault(key, [])
        if not listed or listed[-1] != clause:
            listed.append(clause)


def stem(word: str, words: Vocabulary) -> str:
    """The beginning of a word that its forms share, without diacritics."""
    return _stem(word, words.tag, words.endings)


@lru_cache(maxsize=20_000)
def _stem(complete: str, tag: str, endings: tuple[str, ...]) -> str:
    word = bare(complete)
    if tag == "ar":
        word = re.sub("^(?:[وفبكل]?ال|لل|[وفبل](?=\\w{4}))", "", word)
    if tag in {"fr", "es", "pt"} and word.endswith("s") and len(word) > 4:
        word = word[:-1]
    for ending in endings:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    # An article or a mark may be all that there is.
    return word[:6] or complete
