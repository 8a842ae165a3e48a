"""The measures by name, and the figures of a run: each measure over all of its answers.

`results` defines the measures of an answer.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from statistics import fmean, quantiles
from typing import Final, Literal, TypeAlias

from chat_ui.protocol.events import Json, JsonObject

Better: TypeAlias = Literal["more", "less", "neither"]
"""Whether more or less of a measure is better."""
_LARGEST: Final = 10**15
"""Larger figures are ignored, as their sum might not be finite."""


@dataclass(frozen=True, slots=True)
class Measure:
    """A measure in a summary: its `name`, its `label` for a person, and whether it `is_rate`, of a boolean. A list
    counts by its length. `better` is the direction of improvement.
    """

    name: str
    label: str
    better: Better = "neither"
    is_rate: bool = False

    def of(self, result: JsonObject) -> float | None:
        value = result.get(self.name)
        if isinstance(value, bool | int | float):
            return float(value) if abs(value) <= _LARGEST else None
        return float(len(value)) if isinstance(value, Sequence) and not isinstance(value, str) else None


MEASURES: Final[Mapping[str, Measure]] = {
    measure.name: measure
    for measure in (
        Measure("failed", "Failed answers", "less", is_rate=True),
        Measure("denied", "Denied requests of agents"),
        Measure("first_text_s", "Time to first text", "less"),
        Measure("total_s", "Total time", "less"),
        Measure("tokens_per_s", "Tokens per second", "more"),
        Measure("answer_length", "Characters"),
        Measure("sentences", "Sentences"),
        Measure("sentences_cited", "Sentences with citations", "more"),
        Measure("citations", "Cited sources"),
        Measure("citations_not_found", "Citations not found", "less"),
        Measure("sources_retrieved", "Sources retrieved"),
        Measure("truth_citations", "Expected citations"),
        Measure("citation_recall", "Citation recall", "more"),
        Measure("citation_precision", "Citation precision", "more"),
        Measure("has_citation", "Has citations", "more", is_rate=True),
        Measure("citation_match", "Matches all expected citations", "more", is_rate=True),
        Measure("support", "Citations supported by their passage", "more"),
        Measure("claims_found", "Cited sentences with all parts in their passages", "more"),
        Measure("parts_differ", "Parts that differ from the cited passages", "less"),
        Measure("warnings", "Warnings", "less"),
    )
}
"""Every measure of a summary, by its name, in display order."""
TIMES: Final = frozenset({"first_text_s", "total_s", "tokens_per_s"})
"""Measures that differ from run to run of the same backend."""
PUBLISHED: Final = ("answer_length", "has_citation", "citation_match")
"""Measures that ai-rag-chat-evaluator has too."""


@dataclass(slots=True)
class Summary:
    """The measures of results that are added individually; only a number for each is stored. `numbers` are those of the
    results that have a measure, by its name.
    """

    times: int = 1
    results: int = 0
    numbers: dict[str, array[float]] = field(default_factory=lambda: {name: array("d") for name in MEASURES})
    _spans: dict[str, dict[int, tuple[float, float, int]]] = field(default_factory=dict)
    """The minimum, maximum and count by measure and question."""

    @classmethod
    def of(cls, results: Iterable[JsonObject], times: int) -> Summary:
        summary = cls(times)
        for values in results:
            summary.add(values)
        return summary

    def add(self, values: JsonObject) -> None:
        """Add the result of a line."""
        self.results += 1
        number = values.get("number")
        for name, measure in MEASURES.items():
            found = measure.of(values)
            if found is None:
                continue
            self.numbers[name].append(found)
            if self.times > 1 and isinstance(number, int):
                spans = self._spans.setdefault(name, {})
                low, high, count = spans.get(number, (found, found, 0))
                spans[number] = min(low, found), max(high, found), count + 1

    def statistic(self, name: str, of: str) -> float | None:
        return STATISTICS[of](self.numbers[name]) if self.numbers[name] else None

    def as_json(self) -> dict[str, Json]:
        """The figures of each measure: `count`, `mean`, `min`, `max`, `p50` and `p95`, or for rates `count`, `total`
        and `rate`.

        `published` are those of ai-rag-chat-evaluator with its rounding. `spread` is the mean range of the answers to a
        question.
        """
        measures: dict[str, Json] = {name: self._of(name) for name in MEASURES if self.numbers[name]}
        return {
            "results": self.results,
            "times": self.times,
            "failed": measures.pop("failed", {"count": 0, "total": 0, "rate": 0.0}),
            "measures": measures,
            "published": {name: self._published(name) for name in PUBLISHED if self.numbers[name]},
        }

    def spread(self, name: str) -> float | None:
        """The mean range of the answers to a question, over questions with several answers; None without any."""
        spans = [high - low for low, high, count in self._spans.get(name, {}).values() if count > 1]
        return fmean(spans) if spans else None

    def _of(self, name: str) -> JsonObject:
        wanted = ("count", "total", "rate") if MEASURES[name].is_rate else ("count", "mean", "min", "max", "p50", "p95")
        found: dict[str, Json] = {of: self.statistic(name, of) for of in wanted}
        if MEASURES[name].is_rate:
            found["total"] = int(sum(self.numbers[name]))
        if (spread := self.spread(name)) is not None:
            found["spread"] = spread
        return found

    def _published(self, name: str) -> JsonObject:
        numbers = self.numbers[name]
        # Like ai-rag-chat-evaluator's `numpy.round`: 199 of 200 is 1.0.
        mean = round(fmean(numbers) * 100) / 100
        if MEASURES[name].is_rate:
            return {"total": int(sum(numbers)), "rate": mean}
        return {"mean": mean, "max": int(max(numbers)), "min": int(min(numbers))}


def _percentile(numbers: array[float], percent: int) -> float:
    """The percentile with numpy's linear interpolation."""
    return quantiles(numbers, n=100, method="inclusive")[percent - 1] if len(numbers) > 1 else numbers[0]


STATISTICS: Final[Mapping[str, Callable[[array[float]], float]]] = {
    "count": len,
    "total": fsum,
    "rate": fmean,
    "mean": fmean,
    "min": min,
    "max": max,
    "p50": lambda numbers: _percentile(numbers, 50),
    "p95": lambda numbers: _percentile(numbers, 95),
}
"""The statistics of a measure, by name."""
