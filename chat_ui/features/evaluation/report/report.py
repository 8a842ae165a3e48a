"""The HTML report: the main figures, the questions with their answers, all measures, and the settings of the run."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import islice
from pathlib import Path
from typing import Final

from chat_ui.features.evaluation.bounds import Check
from chat_ui.features.evaluation.changes import Change, Earlier, by_question, question_change
from chat_ui.features.evaluation.report.question_table import Answered, figure, filters_html, head_html, question_row
from chat_ui.features.evaluation.run_folder import Conditions, StoredResults
from chat_ui.features.evaluation.summary import MEASURES, Measure, Summary
from chat_ui.rendering.ai_notice import DEFAULT, notice_paragraph
from chat_ui.rendering.exported_page.page_document import page_beginning, page_end, script, style

MOST_QUESTIONS: Final = 5_000
"""Questions in the report; the others are in the file of results."""
_HERE: Final = Path(__file__).parent
_TILES: Final = (
    ("citation_recall", "mean", "Citation recall"),
    ("citation_precision", "mean", "Citation precision"),
    ("first_text_s", "p50", "Median first text"),
)
"""The tiles after the number of answers: measure, statistic and label."""
_COLUMNS: Final = ("min", "p50", "p95", "max")
_ABOUT_CHANGES: Final = (
    '<p class="answer-note">Better and worse: p ≤ 0.05 in a paired permutation test. Intervals: paired bootstrap.</p>'
)
_VERDICTS: Final = {
    "better": ("▲", "better"),
    "worse": ("▼", "worse"),
    "changed": ("•", "changed"),
    "unclear": ("", "no clear change"),
    "same": ("", "unchanged"),
}
_BINS: Final = 16
_HEIGHT: Final = 20


@dataclass(frozen=True, slots=True)
class Report:
    """The content of a report. `changes` are of the measures since the `earlier` run, with its conditions."""

    conditions: Conditions
    summary: Summary
    results: StoredResults
    changes: Mapping[str, Change] = field(default_factory=dict)
    checks: Sequence[Check] = ()
    earlier: tuple[Conditions, Earlier] | None = None
    notice: str = DEFAULT


def report_html(report: Report) -> Iterator[str]:
    """The pieces of an HTML document that needs no network. Only one question at a time is in memory."""
    yield page_beginning("Evaluation", style(more=(_HERE / "report.css",)), script(_HERE / "report.js"))
    yield '<main class="report"><header class="page-head"><h1>Evaluation</h1>'
    yield f'<p><bdi>{escape(report.conditions.url)}</bdi> · <a href="#measures">Measures</a>'
    yield f' · <a href="#settings">Settings</a></p>{notice_paragraph(report.notice)}</header>'
    yield _tiles_html(report.summary, report.changes)
    if report.earlier is not None and not report.changes:
        yield "<p>The runs have no questions in common.</p>"
    yield _checks_html(report.checks)
    yield '<section class="of-questions"><h2 id="questions">Questions</h2>'
    yield filters_html(with_changes=report.earlier is not None)
    yield '<div class="questions-place"><table class="questions" aria-labelledby="questions">'
    yield head_html(with_changes=report.earlier is not None)
    for answered in islice(_answered(report), MOST_QUESTIONS):
        yield question_row(answered, with_changes=report.earlier is not None)
    yield "</table></div>"
    left_out = len({number for number, _ in report.results.places}) - MOST_QUESTIONS
    if left_out > 0:
        yield f"<p>{counted(left_out, 'more question is', 'more questions are')} in results.jsonl.</p>"
    yield f"</section>{_measures_html(report.summary, report.changes)}"
    yield _conditions_html(report.conditions, report.earlier[0] if report.earlier else None)
    yield f"</main>{page_end()}"


def _answered(report: Report) -> Iterator[Answered]:
    if report.earlier is None:
        yield from map(Answered, by_question(report.results))
        return
    for before, now in report.earlier[1].beside(report.results):
        if before:
            yield Answered(now, before[0], question_change([one.values for one in before], [one.values for one in now]))
        else:
            yield Answered(now)


def counted(count: int, noun: str, nouns: str) -> str:
    return f"{count:,} {noun if count == 1 else nouns}"


def _tiles_html(summary: Summary, changes: Mapping[str, Change]) -> str:
    """Safe HTML of the main figures, each with its change since the earlier run."""
    failed = int(sum(summary.numbers["failed"]))
    figures = [("failed", "Answered", f"{summary.results - failed:,} of {summary.results:,}")]
    figures += [(name, label, figure(MEASURES[name], summary.statistic(name, of))) for name, of, label in _TILES]
    tiles = ""
    for name, label, shown in figures:
        change = ""
        if name in changes:
            sign, verdict = _VERDICTS[changes[name].verdict]
            change = f'<dd class="change is-{changes[name].verdict}">{_signed(sign, verdict)}</dd>'
        tiles += f'<div><dt>{label}</dt><dd class="tile-figure">{shown}</dd>{change}</div>'
    return f'<dl class="tiles">{tiles}</dl>'


def _signed(sign: str, verdict: str) -> str:
    return f'<span aria-hidden="true">{sign}</span> {verdict}'


def _conditions_html(now: Conditions, before: Conditions | None) -> str:
    """Safe HTML of the run's conditions, and the earlier run's if any."""
    runs = [_facts(one) for one in (now, before) if one is not None]
    head = ""
    if before is not None:
        head = '<thead><tr><td></td><th scope="col">This run</th><th scope="col">Earlier run</th></tr></thead>'
    lines = "".join(
        f'<tr><th scope="row">{name}</th>{"".join(f"<td><bdi>{escape(run[name])}</bdi></td>" for run in runs)}</tr>'
        for name in runs[0]
        if any(run[name] for run in runs)
    )
    return (
        '<section><h2 id="settings">Settings</h2><div class="scrolled" tabindex="0" role="group" aria-label="Settings">'
        f'<table class="conditions">{head}<tbody>{lines}</tbody></table></div></section>'
    )


def _facts(conditions: Conditions) -> dict[str, str]:
    return {
        "Backend": conditions.url,
        "Model": conditions.model or "",
        "Options": json.dumps(conditions.shown_options, ensure_ascii=False) if conditions.shown_options else "",
        "Options from the deployment": ", ".join(conditions.told),
        "Approved tools": ", ".join(conditions.approve),
        "Questions": f"{conditions.question_file} ({counted(conditions.count, 'question', 'questions')})",
        "Concurrency": str(conditions.concurrency),
    }


def _checks_html(checks: Sequence[Check]) -> str:
    """Safe HTML of each check with its outcome and figure; empty without checks."""
    if not checks:
        return ""
    items = "".join(
        f'<li class="{"is-worse" if check.has_failed else "is-better"}">'
        f"<strong>{'✗ failed' if check.has_failed else '✓ passed'}</strong> "
        f"<code>{escape(check.words)}</code> <span>{escape(check.found)}</span></li>"
        for check in checks
    )
    return f'<section><h2>Checks</h2><ul class="checks">{items}</ul></section>'


def _measures_html(summary: Summary, changes: Mapping[str, Change]) -> str:
    """Safe HTML of a table with a row for each measure in the answers."""
    heads = ["Measure", "Mean", "Minimum", "Median", "95th percentile", "Maximum", "Distribution"]
    if summary.times > 1:
        heads.append("Spread per question")
    if changes:
        heads += ["Earlier run", "Change (95 % interval)"]
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
    yield f"<td>{_distribution_html(measure, numbers)}</td>"
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
        f'<td class="change is-{change.verdict}"><strong>{_signed(sign, verdict)}</strong> '
        f"<span>{difference}{interval}</span> "
        f"<small>{change.differing:,} of {change.pairs:,} differ, p = {change.chance:.2g}</small></td>"
    )


def _distribution_html(measure: Measure, numbers: Sequence[float]) -> str:
    """An SVG histogram; its name has the lowest and the highest number."""
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
