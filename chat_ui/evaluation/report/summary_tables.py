"""What stands at the head of a report: how the backend was asked, the bounds, and the figures of each measure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Final

from chat_ui.evaluation.bounds import Check
from chat_ui.evaluation.changes import Change
from chat_ui.evaluation.measure_names import MEASURES, Measure
from chat_ui.evaluation.report.figures import counted, distribution_html, figure
from chat_ui.evaluation.run_folder import Conditions
from chat_ui.evaluation.summary import Summary

_COLUMNS: Final = ("min", "p50", "p95", "max")
_ABOUT_CHANGES: Final = (
    '<p class="report-note">A measure is called better or worse where chance alone would bring so large a difference '
    "in at most one case of twenty (paired permutation test). The interval is that of a paired bootstrap.</p>"
)
_VERDICTS: Final = {
    "better": ("▲", "better"),
    "worse": ("▼", "worse"),
    "changed": ("•", "changed"),
    "unclear": ("", "no clear change"),
    "same": ("", "the same"),
}


def conditions_html(now: Conditions, before: Conditions | None) -> str:
    """Safe HTML: how the backend was asked, and in the run before, if there was one."""
    runs = [_facts(one) for one in (now, before) if one is not None]
    head = ""
    if before is not None:
        head = '<thead><tr><td></td><th scope="col">This run</th><th scope="col">The run before</th></tr></thead>'
    lines = "".join(
        f'<tr><th scope="row">{name}</th>{_told(run[name] for run in runs)}</tr>'
        for name in runs[0]
        if any(run[name] for run in runs)
    )
    return (
        '<div class="scrolled" tabindex="0" role="group" aria-label="How it was asked">'
        f'<table class="conditions">{head}<tbody>{lines}</tbody></table></div>'
    )


def _facts(conditions: Conditions) -> dict[str, str]:
    return {
        "Backend": conditions.url,
        "Model": conditions.model or "",
        "Options": json.dumps(conditions.shown_options, ensure_ascii=False) if conditions.shown_options else "",
        "Questions": f"{conditions.question_file} ({counted(conditions.count, 'question', 'questions')})",
        "Asked at once": str(conditions.concurrency),
    }


def _told(facts: Iterable[str]) -> str:
    return "".join(f"<td><bdi>{escape(fact)}</bdi></td>" for fact in facts)


def checks_html(checks: Sequence[Check]) -> str:
    """Safe HTML: each check, how it went, and the figure; empty where there is none."""
    if not checks:
        return ""
    items = "".join(
        f'<li class="{"is-worse" if check.has_failed else "is-better"}">'
        f"<strong>{'✗ failed' if check.has_failed else '✓ passed'}</strong> "
        f"<code>{escape(check.words)}</code> <span>{escape(check.found)}</span></li>"
        for check in checks
    )
    return f'<section><h2>Checks</h2><ul class="checks">{items}</ul></section>'


def measures_html(summary: Summary, changes: Mapping[str, Change]) -> str:
    """Safe HTML: a table with a row for each measure that any answer has."""
    heads = ["Measure", "Mean", "Lowest", "Half at most", "95 % at most", "Highest", "Distribution"]
    if summary.times > 1:
        heads.append("Spread within a question")
    if changes:
        heads += ["Before", "Change, with its 95 % interval"]
    head = "".join(f'<th scope="col">{name}</th>' for name in heads)
    rows = "".join(
        f"<tr>{''.join(_cells(summary, measure, changes))}</tr>"
        for measure in MEASURES.values()
        if summary.numbers[measure.name]
    )
    return (
        '<section><h2 id="measures">Measures</h2><div class="scrolled" tabindex="0" role="group" aria-label="Measures">'
        f'<table class="measures" aria-labelledby="measures"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody>'
        f"</table></div>{_ABOUT_CHANGES if changes else ''}</section>"
    )


def _cells(summary: Summary, measure: Measure, changes: Mapping[str, Change]) -> Iterator[str]:
    name, numbers = measure.name, summary.numbers[measure.name]
    yield f'<th scope="row">{measure.label} <code>{name}</code></th>'
    mean = figure(measure, summary.statistic(name, "mean"))
    if measure.is_rate:
        yield f'<td><strong>{mean}</strong></td><td colspan="4">{int(sum(numbers)):,} of {len(numbers):,}</td>'
    else:
        yield f"<td><strong>{mean}</strong></td>"
        for of in _COLUMNS:
            yield f"<td>{figure(measure, summary.statistic(name, of))}</td>"
    yield f"<td>{distribution_html(measure, numbers)}</td>"
    if summary.times > 1:
        yield f"<td>{figure(measure, summary.spread(name))}</td>"
    if changes:
        yield from _change(measure, changes.get(name))


def _change(measure: Measure, change: Change | None) -> Iterator[str]:
    if change is None:
        yield "<td>–</td><td>–</td>"
        return
    sign, verdict = _VERDICTS[change.verdict]
    interval = ""
    if change.low is not None and change.high is not None:
        low, high = (figure(measure, one, signed=True) for one in (change.low, change.high))
        interval = f" ({low} to {high})"
    difference = figure(measure, change.now - change.before, signed=True)
    yield f"<td>{figure(measure, change.before)}</td>"
    yield (
        f'<td class="change is-{change.verdict}"><strong><span aria-hidden="true">{sign}</span> '
        f"{verdict}</strong> <span>{difference}{interval}</span> "
        f"<small>{change.differing:,} of {change.pairs:,} differ, p = {change.chance:.2g}</small></td>"
    )
