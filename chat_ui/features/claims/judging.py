"""The comparison of a sentence with the passages that it cites: which of its parts are there, and which differ.

A part that is in the passage may still belong to another thing there: the sentence's other words must be near it. So
each place of a part, and each place of another value of its kind, gets the weight of the sentence's words around it.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice
from typing import Final, Literal

from chat_ui.features.claims.agreement import are_equal, comparable, computed, have_one_noun, lies_in, likeness, same
from chat_ui.features.claims.negation import conflicts, is_denied
from chat_ui.features.claims.phrases import (
    Name,
    Quote,
    letters_of,
    names_in,
    nearly_quoted,
    other_word,
    quoted_in,
    quotes_in,
    same_name,
)
from chat_ui.features.claims.reading import Reading, Value
from chat_ui.features.claims.values import read

Verdict = Literal["found", "elsewhere", "computed", "not_found", "differs"]
Kind = Literal["number", "date", "name", "quote", "negation", "comparison"]
WORST: Final[Sequence[Verdict]] = ("found", "computed", "elsewhere", "not_found", "differs")

_REFERENCE: Final = re.compile(r"(?:qu'|que |than |als |gegenüber |de lo que )(?:en |in |im )?$")
"""Words before a value that others are compared with: `more than in 2021`."""
_DIFFERENCE: Final = re.compile(
    r"\s?(?:mehr|weniger|länger|später|früher|more|less|fewer|longer|later|earlier|older|younger|higher|lower"
    r"|de (?:plus|moins)|más|menos|di (?:più|meno)"
    r"|a mais|a menos|meer|minder|mere|mindre|więcej|mniej|daha|多|少な|高|安|増|減)"
)
LONGEST: Final = 100_000
"""Characters of a passage that are compared."""
_MARGIN: Final = 0.45
"""The weight by which another value must be nearer to the sentence's words than an equal one."""
_EVEN: Final = 0.3
_LEAST: Final = 0.9
"""The least weight of a counterpart of a missing value."""
_CLEAR: Final = 0.4
"""The least share of a clause's words that are near another value in the place of a missing one."""
_BEFORE: Final = 0.5
_AFTER: Final = 0.1
_ROW: Final = 0.9
"""The parts of a word's weight in another clause of the sentence: before or after, or in the same row."""
_FAR_CLAUSE: Final = 0.45
"""The weight of the words in the sentence's other clauses."""
_ALL: Final = 0.9
"""The share of the sentence's words from which on a passage's sentence is the same."""
_FEW: Final = 12
"""Numbers of a passage from which a value may be computed, wherever they are."""
_MOST: Final = 60
"""Parts of a sentence that are judged, and candidates of a part that are weighed."""


@dataclass(frozen=True, slots=True)
class Part:
    """A checkable part: its text, its place in the sentence, and its counterpart's place in the passage, if any."""

    text: str
    start: int
    end: int
    kind: Kind
    verdict: Verdict
    passage: str | None = None
    counterpart: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """The worst verdict of the parts, and the parts in their order."""

    verdict: Verdict
    parts: tuple[Part, ...]


class Passage:
    """A passage that is read once, for many sentences."""

    def __init__(self, text: str, language: str = "") -> None:
        self.text = text
        self.is_cut = len(text) > LONGEST
        self.reading = read(text[:LONGEST], known=language)
        self.names = names_in(self.reading)


@lru_cache(maxsize=256)
def prepared(text: str, language: str) -> Passage:
    return Passage(text, language)


def judge(
    sentence: str,
    cited: Mapping[str, str | Passage],
    others: Callable[[], Mapping[str, str | Passage]],
    language: str,
) -> Judgement | None:
    """Compare the checkable parts of a sentence with its `cited` passages, then with the `others`.

    Passages are by name; `others` is called where the cited ones lack a part. `language` is the sentence's (BCP 47).
    The judgement is None without checkable parts.
    """
    parts = _Judging(sentence, cited, others, language).judged()
    return Judgement(max((part.verdict for part in parts), key=WORST.index), tuple(parts)) if parts else None


class _Source:
    """A passage beside the sentence: the place, clause and weight of the sentence's words that it has, and where."""

    def __init__(self, name: str, passage: Passage, it: Reading) -> None:
        self.name = name
        self.passage = passage
        self.reading = passage.reading
        self.is_foreign = self.reading.words.tag != it.words.tag
        self.words: list[tuple[int, int, int, float, Sequence[int]]] = []
        for start, end, key, clause in it.tokens[:_MOST]:
            found = self.reading.places.get(key, ())
            is_strong = key[0] == "#" or (it.plain[start].isupper() and start > 0 and it.words.tag != "de")
            weight = 1.4 if is_strong and found else 1.0
            self.words.append((start, end, clause, weight / (1 + 0.35 * math.log(len(found) or 1)), found))

    def covers(self, value: Value) -> bool:
        """Whether the passage has a third of the words of a value's clause."""
        words = [
            bool(places) for start, end, clause, _, places in self.words
            if clause == value.clause and not (start < value.end and end > value.start)
        ]  # fmt: skip
        return 3 * sum(words) >= len(words) > 0


@dataclass(slots=True)
class _Place:
    """A place in a passage, with the weight of the sentence's words around it."""

    source: _Source
    start: int
    end: int
    value: Value | None = None
    weight: float = 0
    """At first the likeness of its value to the sentence's."""
    even: float = 0
    """The weight with that of all other clauses as they are."""
    share: float = 0
    """The share of the words of the part's clause."""
    words: int = 0
    """The words of the part's clause."""
    covered: float = 0
    """The share of all words of the sentence that the passage's sentence has."""
    sentence: int = -1
    is_row: bool = False


class _Judging:
    def __init__(
        self,
        sentence: str,
        cited: Mapping[str, str | Passage],
        others: Callable[[], Mapping[str, str | Passage]],
        language: str,
    ) -> None:
        self.it = read(sentence[:LONGEST], language)
        self.language = language
        self.cited = cited
        self.others = others
        self.here = self._sources(cited)
        self.is_whole = not any(source.passage.is_cut for source in self.here)
        self.parts: list[Part] = []
        self.names = names_in(self.it)
        self.quotes = quotes_in(self.it)

    def _sources(self, passages: Mapping[str, str | Passage]) -> list[_Source]:
        known = (
            (name, prepared(one, self.language) if isinstance(one, str) else one) for name, one in passages.items()
        )
        return [_Source(name, one, self.it) for name, one in known]

    @cached_property
    def there(self) -> list[_Source]:
        return self._sources({name: passage for name, passage in self.others().items() if name not in self.cited})

    def judged(self) -> list[Part]:
        self._quotes()
        for value in self.it.values[:_MOST]:
            if not self._is_quoted(value.start):
                self._value(value)
        for name in self.names[:_MOST]:
            if not self._is_quoted(name.start):
                self._name(name)
        self._negations()
        return sorted(self.parts, key=lambda part: (part.start, part.end))

    def _is_quoted(self, place: int) -> bool:
        return any(quote.start <= place < quote.end for quote in self.quotes)

    def _add(self, start: int, end: int, kind: Kind, verdict: Verdict, place: _Place | None = None) -> None:
        begin, stop = self.it.span(start, end)
        counterpart = place.source.reading.span(place.start, place.end) if place and place.end > place.start else None
        name = place.source.name if place else None
        self.parts.append(Part(self.it.text[begin:stop], begin, stop, kind, verdict, name, counterpart))

    # The weight of places

    def _weigh(self, place: _Place, start: int, end: int) -> _Place:
        """Give a place the weight of the sentence's words around it, for the sentence's part from `start` to `end`."""
        own = range((at := self.it.clause_at(start)), at + 1)
        if self.it.sentences[at] in self.it.rows:
            own = self.it.sentence_of(at)
        reading = place.source.reading
        clause = reading.clause_at(place.start)
        sentence, header = reading.sentences[clause], reading.headers.get(clause, -1)
        place.sentence, is_row = sentence, sentence in reading.rows
        place.is_row = is_row
        more = place.weight
        place.even = more
        own_words, all_words = more if more >= 0.5 else 0.0, 0.0
        found = count = 0
        for begin, stop, at, weight, places in place.source.words:
            if begin < end and stop > start:
                continue
            index = bisect_left(places, clause)
            before, after = places[index - 1] if index else -1, places[index] if index < len(places) else -1
            if after == clause or (header >= 0 and header in places):
                credit = 1.0
            elif before >= 0 and reading.sentences[before] == sentence:
                credit = _ROW if is_row else _BEFORE
            else:
                credit = (_ROW if is_row else _AFTER) * (after >= 0 and reading.sentences[after] == sentence)
            is_own = at in own
            all_words += weight * is_own
            count += 1
            found += credit > 0
            place.words += is_own
            if places:
                place.weight += credit * weight * (1 if is_own else _FAR_CLAUSE)
                place.even += credit * weight
                own_words += credit * weight * is_own
        place.share = own_words / max(0.1, all_words)
        place.covered = found / max(1, count)
        return place

    def _heaviest(self, places: Iterable[_Place], start: int, end: int) -> _Place | None:
        return max((self._weigh(place, start, end) for place in places), key=lambda one: one.weight, default=None)

    # Values

    def _value(self, value: Value) -> None:
        kind: Kind = "name" if value.kind == "name" else "date" if value.kind == "date" else "number"
        equal = self._heaviest(self._equal(value, self.here), value.start, value.end)
        other = self._heaviest(self._unequal(value), value.start, value.end)
        if equal and not (value.last and equal.weight < 0.4):
            is_nearer = other and not value.soft and not value.key and self._is_nearer(value, other, equal)
            self._add(value.start, value.end, kind, "differs" if is_nearer else "found", other if is_nearer else equal)
            if not is_nearer:
                self._limit(value, equal)
            return
        if any(lies_in(value, one) for source in self.here for one in source.reading.values):
            return
        elsewhere = self._heaviest(self._equal(value, self.there), value.start, value.end)
        if elsewhere and (elsewhere.weight >= 0.5 or not value.soft):
            self._add(value.start, value.end, kind, "elsewhere", elsewhere)
            return
        is_near = other and other.weight >= _LEAST and other.share >= _CLEAR and other.covered >= _CLEAR
        # A number without a unit after a single word may be a name: `tent 17`.
        is_name = value.kind == "number" and not value.unit and self.it.low[: value.start].rstrip()[-1:].isalpha()
        its = other.value if other and is_near and not (is_name and other.words < 2) else None
        if its and its.raw == value.raw and its.unit != value.unit and not value.soft:
            self._add(value.start, value.end, kind, "differs", other)
            return
        rest = [one for one in self.it.values if one is not value]
        is_difference = _DIFFERENCE.match(self.it.low, value.end) is not None
        # A figure between the same words is another one, even where it is a sum by chance.
        is_sum = is_difference or not (other and other.covered >= _ALL and other.words > 1)
        for source in self.here:
            if one := computed(
                value, source.reading, self._near(source), rest, is_sum=is_sum, is_difference=is_difference
            ):
                self._add(value.start, value.end, kind, "computed", _Place(source, one.start, one.end))
                return
        if its and (not value.soft or have_one_noun(value, its)):
            self._add(value.start, value.end, kind, "differs", other)
        elif self.is_whole and self._is_missed(value):
            self._add(value.start, value.end, kind, "not_found")

    def _near(self, source: _Source) -> list[Value]:
        sentences = {source.reading.sentences[at] for *_, places in source.words for at in places[:500]}
        numbers = [one for one in source.reading.values if one.kind == "number" and not one.key]
        if len(numbers) > _FEW:
            numbers = [one for one in numbers if source.reading.sentences[one.clause] in sentences]
        return numbers[:_MOST]

    def _is_missed(self, value: Value) -> bool:
        """Whether a missing value is of a kind that is written once, and a passage has the words of its clause.

        Spans of time, shares and times of day are often computed or told in other words.
        """
        if value.soft or value.about or value.weekday or value.minutes or value.last or value.raw == 1:
            return False
        if value.raw and any(one.raw == value.raw for source in self.here for one in source.reading.values):
            return False
        if not any(source.is_foreign or source.covers(value) for source in self.here):
            return False
        if value.key:
            return "@" in value.key or "/" in value.key
        if not value.unit:
            return value.kind == "date"
        is_often_computed = value.dimension in {"time", "months", "nights", "ratio"}
        return not is_often_computed and not value.unit.name.startswith("x-")

    def _is_share(self, value: Value, other: Value) -> bool:
        """Whether another value is the sentence's share of a value: a quarter of it."""
        shares = (one.base for one in self.it.values if one.dimension == "ratio")
        return any(are_equal(value.base * share, other.base) for share in shares)

    def _is_nearer(self, value: Value, other: _Place, equal: _Place) -> bool:
        """Whether another place has so many more words of the sentence that its value should be the sentence's."""
        is_one_sentence = equal.source is other.source and equal.sentence == other.sentence
        if not is_one_sentence and equal.covered > 0.5 * other.covered:
            return False
        if not other.is_row and (other.words < 2 or other.covered < 0.5 or other.share < 0.5):
            return False
        if other.value and (lies_in(value, other.value) or self._is_share(value, other.value)):
            return False
        is_heavier = other.weight > equal.weight + max(_MARGIN, 0.12 * other.weight)
        return is_heavier and other.even > equal.even + _EVEN

    def _equal(self, value: Value, sources: Sequence[_Source]) -> Iterator[_Place]:
        for source in sources:
            equal = [one for one in source.reading.values if same(value, one)]
            for one in equal[:_MOST]:
                yield _Place(source, one.start, one.end, one, likeness(value, one))

    def _unequal(self, value: Value) -> Iterator[_Place]:
        """Values of the same kind that the sentence has nowhere."""
        rest = [one for one in self.it.values[:_MOST] if one is not value]
        for source in self.here:
            counts = Counter(source.reading.sentences[at] for *_, places in source.words for at in places[:500])
            candidates = [one for one in source.reading.values if comparable(value, one) and not same(value, one)]
            if len(candidates) > _MOST:
                at = source.reading.sentences
                candidates = sorted(candidates, key=lambda one: -counts[at[one.clause]])[:_MOST]
            for one in candidates:
                before = source.reading.low[max(0, one.start - 12) : one.start]
                if not any(same(this, one) for this in rest) and not _REFERENCE.search(before):
                    yield _Place(source, one.start, one.end, one, likeness(value, one))

    def _limit(self, value: Value, place: _Place) -> None:
        """More or less than a found number."""
        one, other = place.value, place.source.reading
        if not one or value.kind != "number" or not one.direction or not value.direction:
            return
        marks = self.it.words.direction.finditer(self.it.low, max(0, value.start - 40), value.end + 20)
        spans = [mark.span() for mark in marks if mark.lastgroup == value.direction]
        start, end = min(spans, key=lambda span: abs(value.start - span[1]), default=(value.start, value.end))
        alike = {each.direction for source in self.here for each in source.reading.values if same(value, each)}
        if value.direction in alike:
            self._add(start, end, "comparison", "found", place)
        elif place.share >= 0.5 and not (is_denied(self.it, value.clause) or is_denied(other, one.clause)):
            self._add(start, end, "comparison", "differs", place)

    # Names

    def _name(self, name: Name) -> None:
        if equal := self._heaviest(self._named(name), name.start, name.end):
            self._add(name.start, name.end, "name", "found", equal)
            return
        is_new = self.is_whole and len(name.words) > 1 and not self._is_known("".join(name.words))
        if is_new and (alike := self._heaviest(self._alike(name), name.start, name.end)):
            self._add(name.start, name.end, "name", "differs", alike)

    def _is_known(self, word: str) -> bool:
        """Whether a passage has the letters of a word, with or without spaces."""
        return any(word in letters_of(source.reading) for source in [*self.here, *self.there])

    def _alike(self, name: Name) -> Iterator[_Place]:
        """Names with one other word, for which the passages have not the sentence's word."""
        for source in self.here:
            for one in source.passage.names[:500] if not source.is_foreign else ():
                word = other_word(name, one)
                if word and not self._is_known(word):
                    yield _Place(source, one.start, one.end)

    def _named(self, name: Name) -> Iterator[_Place]:
        for source in self.here:
            places = [(one.start, one.end) for one in source.passage.names if same_name(name, one)]
            for start, end in places[:_MOST]:
                yield _Place(source, start, end)

    # Quotations

    def _quotes(self) -> None:
        for quote in self.quotes[:_MOST]:
            found = next(self._quoted(quote), None)
            if found:
                self._add(quote.start, quote.end, "quote", *found)
            elif quote.length >= 4 and not all(source.is_foreign for source in self.here):
                near = [(*nearly_quoted(quote, source.reading), source) for source in self.here]
                share, place, source = max(near, key=lambda one: one[0])
                if share >= 0.5:
                    self._add(quote.start, quote.end, "quote", "differs", _Place(source, *place))

    def _quoted(self, quote: Quote) -> Iterator[tuple[Verdict, _Place]]:
        for source in self.here:
            if place := quoted_in(quote, source.reading):
                yield "found", _Place(source, *place)
        for source in self.there:
            if place := quoted_in(quote, source.reading):
                yield "elsewhere", _Place(source, *place)

    # Negation and permission

    def _negations(self) -> None:
        found = conflicts(self.it, [source.reading for source in self.here])
        for (start, end), index, place in islice(found, _MOST):
            if not self._is_quoted(start):
                self._add(start, end, "negation", "differs", _Place(self.here[index], *place))


__all__ = ["Judgement", "Part", "Passage", "judge", "prepared"]
