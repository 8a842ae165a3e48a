"""The measures of Microsoft's ai-rag-chat-evaluator that need no model, and its summary of a run.

The definitions are those of its `code_metrics.py` and `base_metric.py`, to the letter: what is in its file of results
gives the figures of its summary. A mean or a rate is rounded as numpy does, a share of ratings as Python does.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from chat_ui.protocol.events import Json, JsonObject

_CITATION: Final = re.compile(r"\[[^\]]+\]")
_NAMED_FILE: Final = re.compile(r"\[([^\]]+)\.\w{3,4}(#page=\d+)*\]")
_PASSED: Final = 4
_RATINGS: Final = frozenset(
    name
    for measure in ("groundedness", "relevance", "coherence", "similarity", "fluency")
    for name in (measure, f"gpt_{measure}", f"my{measure}")
) | {"dontknowness"}
"""Measures of a model, on a scale from 1 to 5. Runs of the tool's earlier versions end their keys with `_score`."""
_AMOUNTS: Final = ("f1_score",)


class NoResultsError(ValueError):
    """A file holds no results of a run; the message names the line."""


def answer_length(answer: str) -> int:
    """Characters of the answer."""
    return len(answer)


def has_citation(answer: str) -> bool:
    """Whether anything stands between square brackets."""
    return _CITATION.search(answer) is not None


def citation_match(answer: str, truth: str, *, is_lost: bool = False) -> bool:
    """Whether each file that the truth names between brackets, with its page, is so named in the answer. A truth that
    names none is matched by any answer, but for one that `is_lost`: an error in place of an answer, which the tool has
    no way to say.
    """
    return not is_lost and set(_NAMED_FILE.findall(truth)) <= set(_NAMED_FILE.findall(answer))


def rounded(value: float) -> float:
    """Two digits, as `numpy.round` gives them: 199 of 200 is 1.0."""
    return round(value * 100) / 100


@dataclass(slots=True)
class _Numbers:
    """The count, the sum and the extremes of numbers, added one by one."""

    count: int = 0
    total: float = 0
    low: float = math.inf
    high: float = -math.inf
    passed: int = 0

    def add(self, number: float) -> None:
        self.count += 1
        self.total += number
        self.low, self.high = min(self.low, number), max(self.high, number)
        self.passed += number >= _PASSED

    @property
    def mean(self) -> float:
        return rounded(self.total / self.count)


class _Summary:
    """The figures of results that are added one by one.

    Lengths and citations are found anew in each answer. Times and ratings of a model are in the results, if the tool
    wrote them.
    """

    def __init__(self) -> None:
        self._rows = 0
        self._found: dict[str, _Numbers] = {}

    def add(self, result: JsonObject) -> None:
        self._rows += 1
        answer, truth = result.get("answer"), result.get("truth")
        is_lost = result.get("failed") is True and not answer
        if isinstance(answer, str):
            self._numbers("answer_length").add(answer_length(answer))
            self._numbers("has_citation").add(has_citation(answer))
            if isinstance(truth, str):
                self._numbers("citation_match").add(citation_match(answer, truth, is_lost=is_lost))
        for name in ("latency", *_AMOUNTS):
            if (number := _number(result.get(name))) is not None:
                self._numbers(name).add(number)
        for key in result:
            name = key.removesuffix("_score")
            if name in _RATINGS and (rating := _number(result[key])) is not None:
                self._numbers(name).add(rating)

    def as_json(self) -> dict[str, Json]:
        return {name: _summed(name, numbers, self._rows) for name, numbers in sorted(self._found.items())}

    def _numbers(self, name: str) -> _Numbers:
        return self._found.setdefault(name, _Numbers())


def summary_of(lines: Iterable[bytes]) -> dict[str, Json]:
    """The summary of the lines of a file of results (`eval_results.jsonl`, or `results.jsonl` of a run).

    It has `total` and `rate` of what is true or false, `mean`, `max` and `min` of numbers, and `pass_count`,
    `pass_rate` and `mean_rating` of a model's ratings. A measure that no result has is left out.

    Raises:
        NoResultsError: a line is no result, or there is none.
    """
    summary, count = _Summary(), 0
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            result = json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8"))
        except (ValueError, RecursionError):
            raise NoResultsError(f"Line {number} is not JSON.") from None
        if not isinstance(result, Mapping) or "answer" not in result:
            raise NoResultsError(f"Line {number} is not a result: it has no answer.")
        summary.add(result)
        count += 1
    if not count:
        raise NoResultsError("There is no result in it.")
    return summary.as_json()


def _summed(name: str, numbers: _Numbers, rows: int) -> JsonObject:
    if name in _RATINGS:
        return {
            "pass_count": numbers.passed,
            "pass_rate": round(numbers.passed / rows, 2),
            "mean_rating": numbers.mean,
        }
    if name in ("has_citation", "citation_match"):
        return {"total": int(numbers.total), "rate": numbers.mean}
    if name == "answer_length":
        return {"mean": numbers.mean, "max": int(numbers.high), "min": int(numbers.low)}
    if name == "f1_score":
        return {"mean": numbers.mean, "max": rounded(numbers.high), "min": rounded(numbers.low)}
    return {"mean": numbers.mean, "max": numbers.high, "min": numbers.low}


def _number(value: Json) -> float | None:
    """The number that a value is, or says as text; None for anything else."""
    if not isinstance(value, bool | int | float | str):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None
