"""The figures of a run on a terminal, as tables if it is wide and as plain lines elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from chat_ui.command_line.terminal import shown, wide_console
from chat_ui.features.evaluation.summary import MEASURES, Summary

if TYPE_CHECKING:
    from rich.console import Console

    from chat_ui.features.evaluation.bounds import Check
    from chat_ui.features.evaluation.changes import Change

_TABLE_COLUMNS: Final = 90
"""Minimum columns of a terminal for a readable table."""
_OF_NUMBERS: Final = ("mean", "min", "p50", "p95", "max")
_STYLES: Final = {"better": "green", "worse": "bold red", "unclear": "dim", "same": "dim"}
_VERDICTS: Final = {
    "better": "better", "worse": "worse", "changed": "changed", "unclear": "no clear change", "same": "unchanged",
}  # fmt: skip


def show_figures(summary: Summary, changes: Mapping[str, Change], checks: Sequence[Check]) -> None:
    """Print the measures, the changes since an earlier run, and the checked bounds."""
    if (console := wide_console(_TABLE_COLUMNS)) is not None:
        _show_tables(summary, changes, console)
    else:
        for line in _plain_lines(summary, changes):
            print(shown(line, sys.stdout))
    for check in checks:
        print(
            shown(f"check  | {'failed' if check.has_failed else 'passed'} | {check.words}: {check.found}", sys.stdout)
        )


def _plain_lines(summary: Summary, changes: Mapping[str, Change]) -> Iterator[str]:
    for name, cells in _rows(summary):
        told = ", ".join(f"{of} {number}" for of, number in zip(_heads(summary), cells, strict=True) if number)
        yield f"{name:20} | {told}"
    for change in changes.values():
        yield f"{'change':6} | {change.name} | {_VERDICTS[change.verdict]} | {_from_to(change)} | {_interval(change)}"


def _show_tables(summary: Summary, changes: Mapping[str, Change], console: Console) -> None:
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    measures = Table("Measure", title="Measures", title_justify="left")
    for head in _heads(summary):
        measures.add_column(head, justify="right")
    for name, cells in _rows(summary):
        measures.add_row(name, *cells)
    console.print(measures)
    if changes:
        table = Table(
            "Measure", "", "Before, now", "95 % interval, p", "Questions", title="Changes", title_justify="left"
        )
        for change in changes.values():
            verdict = Text(_VERDICTS[change.verdict], style=_STYLES.get(change.verdict, ""))
            pairs = f"{change.differing} of {change.pairs} differ"
            table.add_row(change.name, verdict, _from_to(change), _interval(change), pairs)
        console.print(table)


def _heads(summary: Summary) -> tuple[str, ...]:
    return (*_OF_NUMBERS, "total", "rate", *(("spread",) if summary.times > 1 else ()))


def _rows(summary: Summary) -> Iterator[tuple[str, list[str]]]:
    for name, measure in MEASURES.items():
        if not summary.numbers[name]:
            continue
        of = ("total", "rate") if measure.is_rate else _OF_NUMBERS
        cells = [_number(summary.statistic(name, head)) if head in of else "" for head in _heads(summary)]
        if summary.times > 1:
            cells[-1] = _number(summary.spread(name))
        yield name, cells


def _number(number: float | None) -> str:
    if number is None:
        return ""
    is_short = float(number).is_integer() or abs(number) >= _MANY_DIGITS
    return f"{number:.0f}" if is_short else f"{number:.3g}"


_MANY_DIGITS: Final = 999.5


def _from_to(change: Change) -> str:
    return f"{_number(change.before)} to {_number(change.now)}"


def _interval(change: Change) -> str:
    if change.low is None or change.high is None:
        return "no interval"
    return f"{change.low:+.3g} to {change.high:+.3g}, p {change.chance:.2g}"
