"""Figures in words, and small pictures of many figures."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import Final

from chat_ui.evaluation.measure_names import Measure
from chat_ui.rendering.panels.durations import duration_words

_BINS: Final = 16
_HEIGHT: Final = 20
_THOUSAND: Final = 1_000
_SECONDS: Final = frozenset({"first_text_s", "total_s"})
_SHARES: Final = frozenset({"citation_recall", "citation_precision", "support"})


def counted(count: int, noun: str, nouns: str) -> str:
    return f"{count:,} {noun if count == 1 else nouns}"


def figure(measure: Measure, number: float | None, *, signed: bool = False) -> str:
    """A figure of a measure as people write it: a rate or a share in per cent; a dash where there is none."""
    if number is None:
        return "–"
    size = _rounded(measure, abs(number))
    sign = ("−" if number < 0 else "+") if signed and size else ""
    if measure.name in _SECONDS:
        return sign + duration_words(size) if size or not signed else "0"
    if measure.is_rate or measure.name in _SHARES:
        return f"{sign}{size:,.{0 if size.is_integer() else 1}f} %"
    return f"{sign}{size:,.{0 if size.is_integer() else 2}f}"


def _rounded(measure: Measure, size: float) -> float:
    if measure.name in _SECONDS:
        return round(size, 3)
    if measure.is_rate or measure.name in _SHARES:
        return round(100 * size, 1)
    return round(size, 0 if size >= _THOUSAND else 2)


def distribution_html(measure: Measure, numbers: Sequence[float]) -> str:
    """An SVG that shows how often each size of a number comes; its name says the lowest and the highest."""
    if measure.is_rate:
        return _share_html(sum(numbers) / len(numbers))
    low, high = min(numbers), max(numbers)
    words = f"Distribution from {figure(measure, low)} to {figure(measure, high)}"
    counts = [0] * _BINS
    for number in numbers:
        place = int(_BINS * (number - low) / (high - low)) if high > low else _BINS // 2
        counts[min(place, _BINS - 1)] += 1
    most = max(counts)
    bars = "".join(
        f'<rect x="{5 * place}" y="{_HEIGHT - height:.1f}" width="4" height="{height:.1f}"/>'
        for place, count in enumerate(counts)
        if (height := max(1.5, _HEIGHT * count / most) if count else 0)
    )
    return (
        f'<svg class="distribution" viewBox="0 0 {5 * _BINS} {_HEIGHT}" role="img" aria-label="{escape(words)}">'
        f"{bars}</svg>"
    )


def _share_html(share: float) -> str:
    width = 5 * _BINS
    return (
        f'<svg class="distribution" viewBox="0 0 {width} {_HEIGHT}" aria-hidden="true">'
        f'<rect class="track" y="7" width="{width}" height="6" rx="3"/>'
        f'<rect y="7" width="{width * share:.1f}" height="6" rx="3"/></svg>'
    )
