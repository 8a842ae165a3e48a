"""Improvements and regressions between two runs, by question and overall.

Questions are equal if their text and conversation are, regardless of their numbers. A question that was asked several
times counts by the mean of its answers.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, product
from operator import getitem, mul
from random import Random
from statistics import fmean, quantiles
from typing import Final, Literal, TypeAlias

from chat_ui.features.evaluation.results import Result
from chat_ui.features.evaluation.run_folder import StoredResults
from chat_ui.features.evaluation.summary import MEASURES, TIMES
from chat_ui.protocol.events import Json, JsonObject

Verdict: TypeAlias = Literal["better", "worse", "changed", "unclear", "same"]
"""The change of a measure over all questions: `changed` if neither direction is better, `unclear` if not significant.
"""

_ALL: Final = tuple(MEASURES.items())
CHANCE: Final = 0.05
"""The significance level."""
_MOST_RESAMPLES: Final = 9_999
_FEWEST_RESAMPLES: Final = 999
_DRAWN: Final = 1_000_000
"""The approximate number of random draws for a figure."""
_MOST_ENUMERATED: Final = 13
"""Differences up to which all signs are enumerated."""
_AT_ONCE: Final = 8
"""Differences whose signs fit in a random byte."""
_EQUAL: Final = 1 - 1e-9
"""The factor for rounding errors of sums in another order."""
_SEED: Final = 20_240_529


@dataclass(frozen=True, slots=True)
class Change:
    """The change of a measure over the common questions: means `before` and `now`.

    `low` to `high` is the 95 % confidence interval of the mean difference (paired bootstrap); None for a single
    question. `chance` is its p-value (paired permutation test). `pairs` counts the questions with the measure in both
    runs, `differing` those with a difference.
    """

    name: str
    before: float
    now: float
    low: float | None
    high: float | None
    chance: float
    pairs: int
    differing: int

    @property
    def verdict(self) -> Verdict:
        if not self.differing:
            return "same"
        if self.chance > CHANCE:
            return "unclear"
        if MEASURES[self.name].better == "neither":
            return "changed"
        return "better" if (self.now > self.before) == (MEASURES[self.name].better == "more") else "worse"

    def as_json(self) -> dict[str, Json]:
        return {
            "measure": self.name, "before": self.before, "now": self.now, "difference": self.now - self.before,
            "interval": [self.low, self.high], "p": self.chance, "verdict": self.verdict,
            "questions": self.pairs, "differing": self.differing,
        }  # fmt: skip


@dataclass(frozen=True, slots=True)
class QuestionChange:
    """The change of a question: the measures that got `better` and `worse`, without times. It also has the gained and
    lost labels of sources and of cited sources.
    """

    better: tuple[str, ...]
    worse: tuple[str, ...]
    sources_gained: tuple[str, ...]
    sources_lost: tuple[str, ...]
    citations_gained: tuple[str, ...]
    citations_lost: tuple[str, ...]

    @property
    def is_any(self) -> bool:
        return any(getattr(self, name) for name in self.__slots__)

    @property
    def is_worse(self) -> bool:
        return len(self.worse) > len(self.better)

    @property
    def is_better(self) -> bool:
        return len(self.better) > len(self.worse)

    def as_json(self) -> dict[str, Json]:
        return {name: list(getattr(self, name)) for name in self.__slots__}


class Earlier:
    """An earlier run, whose answers are found by the question."""

    def __init__(self, results: StoredResults) -> None:
        """Index the `results` without reading them."""
        self._results = results
        self._places: dict[str, dict[int, list[tuple[int, int]]]] = {}
        for place, key in results.keys:
            self._places.setdefault(key, {}).setdefault(place[0], []).append(place)

    def beside(self, results: Iterable[Result]) -> Iterator[tuple[list[Result], list[Result]]]:
        """The results of each question, before and now. Repetitions of a question in a set are paired in order; missing
        earlier results are empty.
        """
        met: Counter[str] = Counter()
        for now in by_question(results):
            key = now[0].key
            places = list(self._places.get(key, {}).values())[met[key] :]
            met[key] += 1
            found = (self._results.get(place) for place in (places[0] if places else ()))
            yield [result for result in found if result is not None], now


def means(results: Sequence[JsonObject]) -> dict[str, float]:
    """The mean of each measure over the results of a question that have it."""
    found = {name: [one for result in results if (one := measure.of(result)) is not None] for name, measure in _ALL}
    return {name: fmean(numbers) for name, numbers in found.items() if numbers}


def question_change(before: Sequence[JsonObject], now: Sequence[JsonObject]) -> QuestionChange:
    """The differences between the answers to a question in two runs: means of measures, labels of any answer."""
    was, is_now = means(before), means(now)
    moved = {name: is_now[name] - was[name] for name in was.keys() & is_now.keys() - TIMES}
    ways = {name: (moved[name] > 0) == (MEASURES[name].better == "more") for name in moved if moved[name]}
    judged = [name for name in MEASURES if name in ways and MEASURES[name].better != "neither"]
    return QuestionChange(
        tuple(name for name in judged if ways[name]),
        tuple(name for name in judged if not ways[name]),
        *_gained_and_lost(before, now, "sources"),
        *_gained_and_lost(before, now, "citations"),
    )


def _gained_and_lost(
    before: Sequence[JsonObject], now: Sequence[JsonObject], name: str
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    was, is_now = _labels(before, name), _labels(now, name)
    return tuple(label for label in is_now if label not in was), tuple(label for label in was if label not in is_now)


def _labels(results: Sequence[JsonObject], name: str) -> dict[str, None]:
    found = (result.get(name) for result in results)
    lists = (one for one in found if isinstance(one, Sequence) and not isinstance(one, str))
    return {label: None for labels in lists for label in labels if isinstance(label, str)}


class Changes:
    """The changes between an earlier run and results that are added question by question."""

    def __init__(self) -> None:
        self._pairs: dict[str, tuple[list[float], list[float]]] = {}
        self.compared = 0
        """The number of common questions."""

    def add(self, before: Sequence[JsonObject], now: Sequence[JsonObject]) -> QuestionChange:
        """Add the answers to a question in both runs, and return their differences."""
        self.compared += 1
        was, is_now = means(before), means(now)
        for name in was.keys() & is_now.keys():
            pair = self._pairs.setdefault(name, ([], []))
            pair[0].append(was[name])
            pair[1].append(is_now[name])
        return question_change(before, now)

    def of_measures(self) -> Mapping[str, Change]:
        """The change of each common measure."""
        return {name: _change(name, *self._pairs[name]) for name in MEASURES if name in self._pairs}


def _change(name: str, before: Sequence[float], now: Sequence[float]) -> Change:
    differences = [is_now - was for was, is_now in zip(before, now, strict=True)]
    differing = sum(map(bool, differences))
    low, high = interval(differences) if len(differences) > 1 else (None, None)
    return Change(name, fmean(before), fmean(now), low, high, chance(differences), len(differences), differing)


def by_question(results: Iterable[Result]) -> Iterator[list[Result]]:
    """The results of each question together; `results` are in the order of the questions."""
    for _, of_one in groupby(results, key=lambda result: result.question.number):
        yield list(of_one)


def interval(differences: Sequence[float]) -> tuple[float, float]:
    """The 95 % confidence interval of the mean difference: a percentile bootstrap."""
    if len(set(differences)) == 1:
        return differences[0], differences[0]
    count, draw = len(differences), Random(_SEED)  # noqa: S311 - no secret
    drawn = (sum(draw.choices(differences, k=count)) / count for _ in range(_resamples(count)))
    ends = quantiles(drawn, n=40, method="inclusive")
    return ends[0], ends[-1]


def chance(differences: Sequence[float]) -> float:
    """The p-value of the mean difference: a paired permutation test, two-sided. It is exact up to 13 differences other
    than 0. Beyond, signs are drawn, and the observed ones count as a draw.
    """
    differing = [one for one in differences if one]
    size = abs(sum(differing)) * _EQUAL
    if len(differing) <= _MOST_ENUMERATED:
        signs = product((1, -1), repeat=len(differing))
        return fmean(abs(sum(map(mul, differing, some))) >= size for some in signs)
    sums = [_signed_sums(differing[at : at + _AT_ONCE]) for at in range(0, len(differing), _AT_ONCE)]
    count, draw = _resamples(len(sums)), Random(_SEED)  # noqa: S311 - no secret
    reached = sum(abs(sum(map(getitem, sums, draw.randbytes(len(sums))))) >= size for _ in range(count))
    return (reached + 1) / (count + 1)


def _signed_sums(differences: Sequence[float]) -> array[float]:
    """The 256 sums of up to eight differences with their signs as the bits of a byte."""
    sums = [0.0]
    for one in differences:
        sums = [some + signed for some in sums for signed in (one, -one)]
    return array("d", sums * (256 // len(sums)))


def _resamples(drawn: int) -> int:
    """The number of resamples with so many draws each."""
    return min(max(_DRAWN // drawn, _FEWEST_RESAMPLES), _MOST_RESAMPLES)
