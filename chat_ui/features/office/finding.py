"""The place of a passage's sentences and rows in the blocks of its document.

Only letters and digits are compared, so line breaks, hyphenation and formatting make no difference. A sentence in
several places is the one with the neighbours that the passage has. Cells of rows are compared by value. A sentence
without a certain place is not found: a wrong mark is worse than none.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise, takewhile
from operator import eq
from statistics import median_low
from typing import Final, NamedTuple

from chat_ui.features.office.text_blocks import Block
from chat_ui.rendering.citations.sentences import sentence_starts
from chat_ui.rendering.panels.passages import GAP

_NOISE: Final = re.compile(
    r"<!--(?:(?!<!--).)*?-->|^[^\S\n]*+(?:\|[^\S\n]*+)?(?::?-{3,}+:?[^\S\n]*+\|[^\S\n]*+)+$", re.MULTILINE | re.DOTALL
)
"""Comments between pages, and the lines under the heads of tables."""
_DIGITS: Final = re.compile(r"\d+")
_PIPE: Final = re.compile(r"(?<!\\)\|")
_NUMBER: Final = re.compile(r"([-+(]?)\s*+[$€£]?\s*+(\d[\d, ]*+(?:\.\d+)?)(e[-+]?\d+)?\s*+(%?)\)?", re.IGNORECASE)
_SIGNED: Final = re.compile(r"[^\W_]+|[-+−](?=\d)|(?<=\d)[.,](?=\d)")
_STOPS: Final = re.compile(r"[.!?…。！？।؟۔'\")\]”’»]*")
_NUMBER_BEFORE: Final = re.compile(r"\d[.,]?\d$")
_NUMBER_AFTER: Final = re.compile(r"\d[.,]?\d")
"""A number that goes on before or after the edge of a sentence."""
_LEAST: Final = 4
"""Letters of a sentence that is looked for."""
_MOST_PLACES: Final = 500
_MOST_VOTES: Final = 40
"""Places of a sentence, and of a shingle, that are compared; a sentence in more places is not found."""
_SHINGLE: Final = 12
_SHORT_SHINGLE: Final = 6
_SHORT: Final = 60
"""Letters of a sentence below which short shingles vote for its place."""
_BUCKET: Final = 16
_ENOUGH: Final = 0.6
_MARGIN: Final = 0.15
"""Share of the votes for a place, and how many more it needs than any other."""
_REPEATED: Final = 24
"""Letters below which a sentence needs as many equal neighbours as a shingle has, or a block without other text."""
_CERTAIN: Final = 8
"""How much better the neighbours of a place must be than those of others: in equal letters, or shingles twice."""
_NEIGHBOURS: Final = 400
_CONTEXT: Final = 1000
"""Equal letters directly beside a sentence that count, and letters of the passage on each side that are compared."""
_CELLS: Final = 0.75
"""Share of the wanted cells that a row must have."""


class Found(NamedTuple):
    """A found part of a block, by its first character and the one after its last."""

    block: int
    start: int
    end: int


class _Number(NamedTuple):
    """A number in a cell, and how far the exact one may be from it."""

    value: float
    rounding: float


_Cell = str | _Number


class _Letters(dict[int, str | None]):
    """The letters of each character: in one case, without accents."""

    def __missing__(self, code: int) -> str | None:
        folded = unicodedata.normalize("NFKD", chr(code)).casefold()
        # Python deletes characters without a translation at once, but not those with an empty one.
        self[code] = "".join(filter(str.isalnum, folded)) or None
        return self[code]


_LETTERS: Final = _Letters()


def letters(text: str) -> str:
    """The letters and digits of `text` in one case, without accents."""
    return text.translate(_LETTERS)


class Finder:
    """Finds sentences and rows of a `passage` in blocks."""

    def __init__(self, blocks: Sequence[Block], passage: str) -> None:
        self._blocks = blocks
        # A description of a picture may be between the paragraphs of a passage.
        pieces = ["" if block.kind == "picture" else letters(block.text) for block in blocks]
        self._letters = "".join(pieces)
        self._starts = [*accumulate(map(len, pieces), initial=0)]
        self._passage = letters(_NOISE.sub(" ", passage))
        words = f" {' '.join(passage.split())}"
        self._signed = _signed(passage)
        starts = zip(self._starts, blocks, strict=False)
        self._numbered_starts = {at for at, one in starts if one.number and f" {one.number} {one.text}" in words}
        self._passage_lines = [line for line in map(str.strip, passage.split("\n")) if _cells(line)]
        self._passage_rows = [*map(_cells, self._passage_lines)]
        self._rows: dict[int, list[_Cell]] = {}

    def find(self, sentence: str) -> list[Found]:
        """The parts of the blocks that are this sentence or row; empty without a certain place."""
        if (cells := _cells(sentence)) and (rows := self._alike_rows(cells)):
            row = self._best_row(sentence.strip(), rows)
            return [] if row is None else [Found(row, 0, len(self._blocks[row].text))]
        wanted = letters(sentence)
        if len(wanted) < _LEAST:
            return []
        if numbered := self._numbered(wanted):
            return numbered
        if places := self._places(wanted, _MOST_PLACES):
            place = self._best_place(wanted, places)
            parts = list(self._parts(place, place + len(wanted))) if place is not None else []
            return [] if self._is_cut(parts, wanted) else [*map(self._with_stops, parts)]
        without_number = letters(sentence.strip().partition(" ")[2])
        return self._numbered(without_number) or list(self._alike(wanted, {*_DIGITS.findall(sentence)}))

    def _block_at(self, place: int) -> int:
        return bisect_right(self._starts, place) - 1

    def _places(self, wanted: str, most: int) -> list[int]:
        found: list[int] = []
        place = self._letters.find(wanted)
        while place >= 0 and len(found) < most:
            found.append(place)
            place = self._letters.find(wanted, place + 1)
        return found

    def _numbered(self, wanted: str) -> list[Found]:
        """These letters at the beginning of the one block that the passage has with its number."""
        starts = self._numbered_starts.intersection(self._places(wanted, _MOST_PLACES)) if len(wanted) >= _LEAST else ()
        parts = (part for at in starts for part in self._parts(at, at + len(wanted)))
        return [*map(self._with_stops, parts)] if len(starts) == 1 else []

    def _best_place(self, wanted: str, places: Sequence[int]) -> int | None:
        """The place with clearly the best neighbours for the passage, else the first one with the whole passage."""
        if len(places) == _MOST_PLACES:
            return None
        text, (before, own, after) = self._letters, self._passage.partition(wanted)
        before, after = (before[-_CONTEXT:], after[:_CONTEXT]) if own else ("", "")
        passage = before + own + after or self._passage[:_CONTEXT]
        shingles = [passage[i : i + _SHINGLE] for i in range(0, max(1, len(passage) - _SHINGLE + 1), _SHINGLE // 2)]

        def edges(place: int) -> int:
            """Equal letters directly before and after."""
            end = place + len(wanted)
            left = _equal(reversed(before), reversed(text[max(0, place - len(before)) : place]))
            return left + _equal(after, text[end : end + len(after)])

        def score(place: int) -> int:
            around = text[max(0, place - len(passage)) : place + len(wanted) + len(passage)]
            return 2 * sum(shingle in around for shingle in shingles) + min(edges(place), _NEIGHBOURS)

        scored = sorted(((score(place), -place) for place in places), reverse=True)
        most, best = scored[0][0], -scored[0][1]
        rival = next((value for value, place in scored if self._block_at(-place) != self._block_at(best)), None)
        if rival is not None and most < rival + _CERTAIN:
            alike = [-place for value, place in scored if value >= rival]
            whole = [place for place in alike if edges(place) >= len(passage) - len(wanted) - 2]
            texts = {place: self._text(place, place + len(wanted)) for place in whole}
            as_signed = [place for place, signed in texts.items() if signed in self._signed]
            return min(as_signed or (whole if len({*texts.values()}) == 1 else ()), default=None)
        if len(wanted) >= _REPEATED:
            return best
        likeness = edges(best) if len(places) > 1 else most
        is_alike = likeness >= min(_SHINGLE, len(passage) - len(wanted))
        return best if is_alike or (len(places) == 1 and self._is_whole(wanted, best)) else None

    def _is_whole(self, wanted: str, start: int) -> bool:
        """Whether these letters are all of a cell, a block or several, and not only a word."""
        end, first = start + len(wanted), self._block_at(start)
        edges = self._starts[first], self._starts[self._block_at(end - 1) + 1]
        is_whole = edges == (start, end) or wanted in map(letters, self._blocks[first].cells)
        return is_whole and len(wanted) >= _SHINGLE

    def _is_cut(self, parts: Sequence[Found], wanted: str) -> bool:
        """Whether a number goes on beside the parts, or a word beside those of a short sentence."""
        if not parts:
            return False
        (index, start, _), (other, _, end) = parts[0], parts[-1]
        left = self._blocks[index].text[max(0, start - 2) : start + 1]
        right = self._blocks[other].text[end - 1 : end + 2]
        if _NUMBER_BEFORE.search(left) or _NUMBER_AFTER.match(right):
            return True
        # Letters with two cases are those of words with spaces between.
        return len(wanted) < _REPEATED and any(
            len(pair) == 2 and all(one.lower() != one.upper() for one in pair) for pair in (left[-2:], right[:2])
        )

    def _alike(self, wanted: str, numbers: set[str]) -> Iterator[Found]:
        """The sentences at the place for which most shingles vote.

        Most letters of a long sentence and all of a short one are wanted, and so are its numbers.
        """
        place = self._voted(wanted)
        for index, first, last in self._parts(place, place + len(wanted)) if place is not None else ():
            text = self._blocks[index].text
            for begin, until in pairwise([0, *sentence_starts(text), len(text)]):
                own = letters(text[begin:until])
                pieces = [own[i : i + _SHORT_SHINGLE] for i in range(0, len(own), _SHORT_SHINGLE)]
                least = _ENOUGH if len(own) >= _REPEATED else 1
                is_in = sum(piece in wanted for piece in pieces) >= max(1, least * len(pieces))
                is_in = is_in and numbers.issuperset(_DIGITS.findall(text, begin, until))
                if is_in and 2 * (min(until, last) - max(begin, first)) >= until - begin:
                    yield Found(index, begin, begin + len(text[begin:until].rstrip()))

    def _voted(self, wanted: str) -> int | None:
        """The place for which most shingles of a sentence vote, by their own places."""
        size = _SHINGLE if len(wanted) >= _SHORT else _SHORT_SHINGLE
        votes: dict[int, dict[int, int]] = defaultdict(dict)
        shingles = range(0, max(1, len(wanted) - size + 1), size // 2)
        for at in shingles:
            for place in self._places(wanted[at : at + size], _MOST_VOTES):
                start = place - at
                votes[start // _BUCKET][at] = start
                votes[(start + _BUCKET // 2) // _BUCKET][at] = start
        bucket = max(votes, key=lambda bucket: (len(votes[bucket]), bucket), default=0)
        most = len(votes[bucket])
        rival = max((len(ats) for other, ats in votes.items() if abs(other - bucket) > 3), default=0)
        if most < max(2, _ENOUGH * len(shingles)) or 0 < rival >= most - _MARGIN * len(shingles):
            return None
        return max(0, median_low(votes[bucket].values()))

    def _parts(self, start: int, end: int) -> Iterator[Found]:
        """The parts of the blocks from one letter to another."""
        end = min(end, len(self._letters))
        for index in range(self._block_at(start), self._block_at(end - 1) + 1):
            places = [at for at, one in enumerate(self._blocks[index].text) for _ in _LETTERS[ord(one)] or ""]
            first, last = max(0, start - self._starts[index]), min(len(places), end - self._starts[index])
            if first < last and self._blocks[index].kind != "picture":
                yield Found(index, places[first], places[last - 1] + 1)

    def _text(self, start: int, end: int) -> str:
        parts = self._parts(start, end)
        return _signed("".join(self._blocks[index].text[first:last] for index, first, last in parts))

    def _with_stops(self, part: Found) -> Found:
        """The part with the vowel signs and accents of its last letter, and the stops after it."""
        text = self._blocks[part.block].text
        signs = sum(1 for _ in takewhile(_is_sign, text[part.end :]))
        stops = _STOPS.match(text, part.end + signs)
        return part._replace(end=stops.end()) if stops else part

    def _alike_rows(self, wanted: Sequence[_Cell]) -> list[int]:
        """The rows with most of these cells."""
        texts = {cell for cell in wanted if isinstance(cell, str)}
        scored: dict[int, float] = {}
        for index, block in enumerate(self._blocks):
            row = self._cells_of(index) if block.cells else []
            if not row or (texts and texts.isdisjoint(row)):
                continue
            share = _common(wanted, row) / len(wanted)
            least = len(row) if len(row) <= len(wanted) + _LEAST else len(wanted)
            if share >= _CELLS and share * len(wanted) >= _ENOUGH * least and not _contradict(wanted, row):
                scored[index] = share + _are_alike(wanted, row) / 4
        best = max(scored.values(), default=0)
        return [index for index, value in scored.items() if value == best]

    def _best_row(self, line: str, rows: Sequence[int]) -> int | None:
        """The row with fewest cells that are written otherwise, then with most neighbours at the passage's distance."""
        at = self._passage_lines.index(line) if line in self._passage_lines else 0

        def neighbours(index: int) -> int:
            near = range(max(0, index - at), min(len(self._blocks), index - at + len(self._passage_rows)))
            return sum(_are_alike(self._passage_rows[other - index + at], self._cells_of(other)) for other in near)

        cells = {*_written(line), ""}

        def written(index: int) -> int:
            return -sum(" ".join(cell.split()) not in cells for cell in self._blocks[index].cells)

        ranked = sorted(((written(index), neighbours(index), index) for index in rows), reverse=True)
        return ranked[0][2] if len(ranked) == 1 or ranked[0][:2] > ranked[1][:2] else None

    def _cells_of(self, index: int) -> list[_Cell]:
        if index not in self._rows:
            self._rows[index] = _canonical(self._blocks[index].cells)
        return self._rows[index]


def _is_sign(character: str) -> bool:
    return unicodedata.category(character).startswith("M")


def _signed(text: str) -> str:
    """The letters of `text`, and the signs and points of its numbers."""
    return "".join(_SIGNED.findall(text.casefold()))


def _equal(one: Iterable[str], other: Iterable[str]) -> int:
    """The number of equal letters at the beginning."""
    return sum(takewhile(bool, map(eq, one, other)))


def _cells(line: str) -> list[_Cell]:
    """The cells of a row in a passage; empty for other text."""
    return _canonical(_written(line))


def _written(line: str) -> list[str]:
    """The cells of a row as written, with bars, gaps or tabs between them; empty for other text."""
    line = line.strip()
    if line.startswith("|") and not _NOISE.fullmatch(line):
        return [cell.replace("\\|", "|").strip() for cell in _PIPE.split(line.strip("|"))]
    gap = GAP if GAP in line else "\t"
    return [*map(str.strip, line.split(gap))] if gap in line else []


def _canonical(cells: Iterable[str]) -> list[_Cell]:
    """The cells with something in them: numbers and letters."""
    return [cell for cell in map(value_of, cells) if cell]


def value_of(cell: str) -> _Cell:
    """A cell of a row as a number or as its letters."""
    cell = cell.strip().removesuffix(" 00:00:00")
    if cell in {"nan", "NaN", "None"}:
        return ""
    if number := _NUMBER.fullmatch(cell):
        sign, digits, exponent, percent = number.groups()
        value = float(f"{re.sub('[, ]', '', digits)}{exponent or ''}") / (100 if percent else 1)
        decimals = 9 if exponent else len(digits.partition(".")[2]) + 2 * bool(percent)
        return _Number(-value if sign in {"-", "("} else value, 0.5000001 * 10.0**-decimals)
    return letters(cell)


def _is_alike(wanted: _Cell, cell: _Cell) -> bool:
    if isinstance(wanted, _Number) and isinstance(cell, _Number):
        return abs(wanted.value - cell.value) <= max(wanted.rounding, 1e-9 * abs(cell.value))
    return wanted == cell


def _are_alike(wanted: Sequence[_Cell], row: Sequence[_Cell]) -> bool:
    return len(wanted) == len(row) and all(map(_is_alike, wanted, row))


def _contradict(wanted: Sequence[_Cell], row: Sequence[_Cell]) -> bool:
    """Whether both have a number, or the same words with a number, that the other lacks."""
    missing, others = (
        {
            _DIGITS.sub("", cell) if isinstance(cell, str) else ""
            for cell in one
            if (not isinstance(cell, str) or _DIGITS.search(cell)) and not any(_is_alike(cell, each) for each in other)
        }
        for one, other in ((wanted, row), (row, wanted))
    )
    return not missing.isdisjoint(others)


def _common(wanted: Sequence[_Cell], row: Sequence[_Cell]) -> int:
    """The number of wanted cells in a row."""
    return sum(any(_is_alike(cell, other) for other in row) for cell in wanted)
