"""Bounds that decide whether a run fails: `citation_match<0.9`, `p95(first_text_s)>2`."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from chat_ui.features.evaluation.summary import MEASURES, STATISTICS, Summary

if TYPE_CHECKING:
    from chat_ui.features.evaluation.changes import Change

_BOUND: Final = re.compile(
    r"\s*(?:(?P<of>\w+)\s*\(\s*(?P<inner>\w+)\s*\)|(?P<name>\w+))\s*(?P<sign><=|>=|<|>)\s*"
    r"(?P<number>[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)\s*(?P<percent>%?)\s*",
    re.IGNORECASE,
)
_SIGNS: Final[Mapping[str, Callable[[float, float], bool]]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
_HUNDRED: Final = 100


@dataclass(frozen=True, slots=True)
class Check:
    """A checked bound: its `words`, whether it `has_failed`, and the `found` figures in words."""

    words: str
    has_failed: bool
    found: str


@dataclass(frozen=True, slots=True)
class Bound:
    """A run fails if the statistic `of` the measure `name` has the relation `sign` to `number`."""

    words: str
    name: str
    of: str
    sign: str
    number: float

    def check(self, summary: Summary) -> Check:
        """Check the bound; it fails if not a single answer has the measure."""
        found = summary.statistic(self.name, self.of)
        if found is None:
            return Check(self.words, has_failed=True, found="no answer has this measure")
        return Check(self.words, _SIGNS[self.sign](found, self.number), f"it is {found:.10g}")


def parse_bound(text: str) -> Bound:
    """The bound in `text`: a measure (by default its rate or mean) or a statistic of a measure, a sign and a number.

    Raises:
        ValueError: the text is not a bound; the message explains the syntax.
    """
    found = _BOUND.fullmatch(text)
    if found is None:
        raise ValueError(f"“{text}” is not a bound. Write, for example, citation_match<0.9 or p95(first_text_s)>2.")
    name, of = measure_named(found["name"] or found["inner"]), found["of"]
    if of is not None and of.lower() not in STATISTICS:
        raise ValueError(f"“{of}” is not a statistic. Use one of: {', '.join(STATISTICS)}.")
    number = float(found["number"]) / (_HUNDRED if found["percent"] else 1)
    return Bound(text.strip(), name, of.lower() if of else "mean", found["sign"], number)


def measure_named(text: str) -> str:
    """The name of a measure.

    Raises:
        ValueError: the measure is unknown.
    """
    if text not in MEASURES:
        raise ValueError(f"“{text}” is not a measure. Use one of: {', '.join(MEASURES)}.")
    return text


def worse_measure(text: str) -> str:
    """The name of a measure that can get worse.

    Raises:
        ValueError: the measure is unknown, or neither direction is worse.
    """
    if MEASURES[measure_named(text)].better == "neither":
        raise ValueError(f"{text} has neither better nor worse values. Use --fail-if.")
    return text


def check_worse(name: str, changes: Mapping[str, Change]) -> Check:
    """Whether a measure got significantly worse; it fails without common answers."""
    words = f"{name} is not worse"
    change = changes.get(name)
    if change is None:
        return Check(words, has_failed=True, found="the two runs have no answers with it in common")
    low, high = ("–" if one is None else f"{one:+.3g}" for one in (change.low, change.high))
    found = (
        f"from {change.before:.10g} to {change.now:.10g}, 95 % interval of the difference {low} to {high}, "
        f"p = {change.chance:.2g}"
    )
    return Check(words, change.verdict == "worse", found)
