"""Proper names and quotations of a text, and the search for them in another one."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise
from typing import Final

from chat_ui.features.claims.reading import Reading
from chat_ui.features.claims.vocabulary import bare, symbols
from chat_ui.rendering.citations.sentences import sentence_starts

_WORD: Final = re.compile(r"[^\W\d_]+(?:'(?=[^\W\d_]{3}))?")
_LONGEST: Final = 12
_QUOTE: Final = re.compile(r"“([^”\n]+)”|„([^“”\n]+)[“”]|«([^»\n]+)»|»([^«\n]+)«|「([^」\n]+)」|\"([^\"\n]+)\"")
_QUOTED: Final = re.compile(r"[\u3040-\u30ff\u3400-\u9fff々ー]|[^\W_\u3040-\u30ff\u3400-\u9fff]+")
_CUT: Final = re.compile(r"\[?(?:…|\.\.\.)\]?")


@dataclass(frozen=True, slots=True)
class Name:
    """A name: its place and its words in lower case without diacritics."""

    start: int
    end: int
    words: tuple[str, ...]


def names_in(reading: Reading) -> list[Name]:
    """Capitalised words in a row, without months, weekdays and values; Japanese family names with given names."""
    plain, low, words = reading.plain, reading.low, reading.words
    if words.tag == "ja":
        pattern = rf"(?:{words.surname})[ ]?[\u3400-\u9fff々]{{1,3}}(?:(?=氏)|(?![\u3400-\u9fff]))"
        return [Name(*one.span(), (one.group().replace(" ", ""),)) for one in re.finditer(pattern, low)]
    found: list[Name] = []
    if words.tag in {"zh", "ar", ""}:
        return found
    cells = {start for start, at in zip(reading.clauses, reading.sentences, strict=True) if at in reading.rows}
    starts = {0, *sentence_starts(plain)} - cells
    values = bytearray(len(plain) + 1)
    for value in reading.values:
        values[value.start : value.end] = b"\1" * (value.end - value.start)
    run: list[tuple[int, int, str]] = []
    last = pending = 0
    for match in _WORD.finditer(plain):
        start, end = match.span()
        word, gap = low[start:end].rstrip("'"), plain[last:start] if last else "?"
        joined = 0 < len(run) < _LONGEST and len(gap) <= 2 and not gap.strip(" -.'")
        if joined and "." in gap and len(run[-1][2]) > 2 and run[-1][2] not in symbols("titles"):
            joined = False
        if plain[start].isupper() and not values[start]:
            if not joined:
                _end(reading, run, starts, found)
                run = []
            run.append((start, end, word))
            last, pending = end, 0
        elif joined and pending < 3 and word in symbols("particles") and (pending or word not in symbols("articles")):
            last, pending = end, pending + 1
        else:
            _end(reading, run, starts, found)
            run, last, pending = [], 0, 0
    _end(reading, run, starts, found)
    return found


def _end(reading: Reading, run: list[tuple[int, int, str]], starts: set[int], found: list[Name]) -> None:
    """Add the name of a run of capitalised words, unless a single one may be an ordinary word."""
    words, plain = reading.words, reading.plain
    has_title = bool(run) and run[0][2] in symbols("titles")
    while run and (run[0][2] in words.stop or run[0][2] in symbols("titles") or run[0][2] in symbols("articles")):
        run = run[1:]
    while run and (run[-1][2] in words.stop or run[-1][2] in words.months or run[-1][2] in words.days):
        run = run[:-1]
    if not run:
        return
    start, end = run[0][0], run[-1][1]
    is_acronym = plain[start:end].isupper() and end - start > 1
    begins = start in starts or plain[max(0, start - 2) : start].strip() in {*'“„«»"'}
    if len(run) == 1 and not is_acronym and not has_title and (begins or words.tag == "de"):
        return
    found.append(Name(start, end, tuple(bare(word) for _, _, word in run)))


def same_name(name: Name, other: Name) -> bool:
    """Whether all words of a name are in another one, in order; an initial stands for a word."""
    rest = list(other.words)
    for word in name.words:
        for at, one in enumerate(rest):
            if one == word or (one[0] == word[0] and (len(word) == 1 or _forms(word, one))):
                rest = rest[at + 1 :]
                break
        else:
            return False
    return True


def other_word(name: Name, other: Name) -> str:
    """The only word of a name that differs in another one of its length; empty if not one does."""
    if len(name.words) != len(other.words):
        return ""
    differing = [pair for pair in zip(name.words, other.words, strict=True) if not _forms(*pair)]
    if len(differing) != 1:
        return ""
    one, two = differing[0]
    is_form = one[:4] == two[:4] or one in two or two in one
    return "" if is_form or len(one) < 3 else one


@lru_cache(maxsize=20_000)
def _forms(word: str, other: str) -> bool:
    """Whether the words differ in an ending only, or in how a diacritic is written."""
    one, two = (re.sub("([aou])e", r"\1", each).rstrip("s") for each in (word, other))
    return min(len(one), len(two)) > 2 and (one == two or (len(one) == len(two) > 6 and one[:-2] == two[:-2]))


def letters_of(reading: Reading) -> str:
    """The letters of a text in lower case without diacritics and spaces."""
    if "letters" not in reading.kept:
        reading.kept["letters"] = re.sub(r"[\W\d_]+", "", bare(reading.low))
    found: str = reading.kept["letters"]
    return found


@dataclass(frozen=True, slots=True)
class Quote:
    """A quotation: its place without the marks, and its words between cuts."""

    start: int
    end: int
    pieces: tuple[tuple[str, ...], ...]
    length: int


@dataclass(slots=True)
class _Words:
    """The words of a text, joined with spaces; `at` has the index of the word at each place of `joined`."""

    spans: list[tuple[int, int]]
    pairs: frozenset[tuple[str, str]]
    joined: str
    at: dict[int, int]

    def find(self, piece: tuple[str, ...], after: int) -> tuple[int, int] | None:
        """The indices of a run of words, from a place of `joined` on."""
        place = self.joined.find(f" {' '.join(piece)} ", after)
        return (place, self.at[place]) if place >= 0 else None


def _words(reading: Reading) -> _Words:
    if "words" not in reading.kept:
        matches = list(_QUOTED.finditer(reading.low))
        words = [_without_and(match.group()) for match in matches]
        starts = accumulate((len(word) + 1 for word in words[:-1]), initial=0)
        at = {start: index for index, start in enumerate(starts)}
        joined = f" {' '.join(words)} "
        reading.kept["words"] = _Words([match.span() for match in matches], frozenset(pairwise(words)), joined, at)
    found: _Words = reading.kept["words"]
    return found


def _without_and(word: str) -> str:
    """An Arabic word without the `and` that is written with it."""
    return word[1:] if word[0] == "و" and len(word) > 2 else word


def quotes_in(reading: Reading) -> list[Quote]:
    """The quotations of three words or more; shorter ones may be titles."""
    found = []
    for match in _QUOTE.finditer(reading.plain):
        span = match.span(match.lastindex or 1)
        cut = (tuple(map(_without_and, _QUOTED.findall(piece))) for piece in _CUT.split(reading.low[slice(*span)]))
        pieces = tuple(words for words in cut if words)
        length = sum(map(len, pieces))
        is_dense = bool(pieces) and pieces[0][0][0] >= "\u3040"
        if length >= (8 if is_dense else 3):
            found.append(Quote(*span, pieces, length // 2 if is_dense else length))
    return found


def quoted_in(quote: Quote, reading: Reading) -> tuple[int, int] | None:
    """The place of a quotation whose pieces are in a text, in order."""
    known = _words(reading)
    after = 0
    indices: list[int] = []
    for piece in quote.pieces:
        if (place := known.find(piece, after)) is None:
            return None
        after = place[0] + 1
        indices += [place[1], place[1] + len(piece) - 1]
    return known.spans[indices[0]][0], known.spans[indices[-1]][1]


def nearly_quoted(quote: Quote, reading: Reading) -> tuple[float, tuple[int, int]]:
    """The share of a quotation's words in runs of two or more of a text, and the place of its longest run."""
    known = _words(reading)
    found = 0
    for piece in quote.pieces:
        hits = [False, *(pair in known.pairs for pair in pairwise(piece)), False]
        found += sum(before or after for before, after in pairwise(hits))
    piece = quote.pieces[0][:200]
    for length in (len(piece), 8, 6, 5, 4, 3, 2):
        for at in range(len(piece) - length + 1):
            if place := known.find(piece[at : at + length], 0):
                index = place[1]
                return found / sum(map(len, quote.pieces)), (known.spans[index][0], known.spans[index + length - 1][1])
    return 0.0, (0, 0)
