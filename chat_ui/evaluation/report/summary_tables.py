"""What stands at the head of a report: how the backend was asked, the bounds, and the figures of each measure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from typing import Final

from chat_ui.evaluation.bounds import Check
from chat_ui.evaluation.changes import Change
from chat_ui.evaluation.measure_names import MEASURES, Measure
from chat_ui.evaluation.report.figures import distribution_html, figure
from chat_ui.evaluation.run_folder import Conditions
from chat_ui.evaluation.summary import Summary
from chat_ui.languages.translation import gettext, ngettext, translated
from chat_ui.protocol.translatable import msg

_COLUMNS: Final = ("min", "p50", "p95", "max")
_VERDICTS: Final = {
    "better": ("▲", msg("better")),
    "worse": ("▼", msg("worse")),
    "changed": ("•", msg("changed")),
    "unclear": ("", msg("no clear change")),
    "same": ("", msg("the same")),
}


def conditions_html(now: Conditions, before: Conditions | None) -> str:
    """Safe HTML: how the backend was asked, and in the run before, if there was one."""
    runs = [_facts(one) for one in (now, before) if one is not None]
    head = ""
    if before is not None:
        names = (gettext("This run"), gettext("The run before"))
        cells = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
        head = f"<thead><tr><td></td>{cells}</tr></thead>"
    lines = "".join(
        f'<tr><th scope="row">{escape(name)}</th>{_told(run[name] for run in runs)}</tr>'
        for name in runs[0]
        if any(run[name] for run in runs)
    )
    return f'<div class="scrolled" tabindex="0" role="group" aria-label="{escape(gettext("How it was asked"))}">' + (
        f'<table class="conditions">{head}<tbody>{lines}</tbody></table></div>'
    )


def _facts(conditions: Conditions) -> dict[str, str]:
    return {
        gettext("Backend"): conditions.url,
        gettext("Model"): conditions.model or "",
        gettext("Options"): _options(conditions),
        gettext("Questions"): _set(conditions),
        gettext("Asked at once"): str(conditions.concurrency),
    }


def _told(facts: Iterable[str]) -> str:
    return "".join(f"<td><bdi>{escape(fact)}</bdi></td>" for fact in facts)


def _options(conditions: Conditions) -> str:
    return json.dumps(conditions.shown_options, ensure_ascii=False) if conditions.shown_options else ""


def _set(conditions: Conditions) -> str:
    counted = ngettext("{count} question", "{count} questions", conditions.count)
    return f"{conditions.question_file} ({counted})"


def checks_html(checks: Sequence[Check]) -> str:
    """Safe HTML: each check, how it went, and the figure; empty where there is none."""
    if not checks:
        return ""
    items = "".join(
        f'<li class="{"is-worse" if check.has_failed else "is-better"}"><strong>{escape(_standing(check))}</strong> '
        f"<code>{escape(translated(check.words))}</code> <span>{escape(translated(check.found))}</span></li>"
        for check in checks
    )
    return f'<section><h2>{escape(gettext("Checks"))}</h2><ul class="checks">{items}</ul></section>'


def _standing(check: Check) -> str:
    return f"✗ {gettext('failed')}" if check.has_failed else f"✓ {gettext('passed')}"


def measures_html(summary: Summary, changes: Mapping[str, Change]) -> str:
    """Safe HTML: a table with a row for each measure that any answer has."""
    heads = [gettext("Measure"), gettext("Mean"), gettext("Lowest"), gettext("Half at most"), gettext("95 % at most")]
    heads += [gettext("Highest"), gettext("Distribution")]
    if summary.times > 1:
        heads.append(gettext("Spread within a question"))
    if changes:
        heads += [gettext("Before"), gettext("Change, with its 95 % interval")]
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in heads)
    rows = "".join(
        f"<tr>{''.join(_cells(summary, measure, changes))}</tr>"
        for measure in MEASURES.values()
        if summary.numbers[measure.name]
    )
    words = ""
    if changes:
        note = gettext(
            "A measure is called better or worse where chance alone would bring so large a difference in at most one "
            "case of twenty (paired permutation test). The interval is that of a paired bootstrap."
        )
        words = f'<p class="report-note">{escape(note)}</p>'
    name = escape(gettext("Measures"))
    return (
        f'<section><h2 id="measures">{name}</h2><div class="scrolled" tabindex="0" role="group" aria-label="{name}">'
        f'<table class="measures" aria-labelledby="measures"><thead><tr>{head}</tr></thead><tbody>{rows}</tbody>'
        f"</table></div>{words}</section>"
    )


def _cells(summary: Summary, measure: Measure, changes: Mapping[str, Change]) -> Iterator[str]:
    name, numbers = measure.name, summary.numbers[measure.name]
    yield f'<th scope="row">{escape(translated(measure.label))} <code>{escape(name)}</code></th>'
    mean = figure(measure, summary.statistic(name, "mean"))
    if measure.is_rate:
        counted = gettext("{number} of {count}", number=int(sum(numbers)), count=len(numbers))
        yield f'<td><strong>{escape(mean)}</strong></td><td colspan="4">{escape(counted)}</td>'
    else:
        yield f"<td><strong>{escape(mean)}</strong></td>"
        for of in _COLUMNS:
            yield f"<td>{escape(figure(measure, summary.statistic(name, of)))}</td>"
    yield f"<td>{distribution_html(measure, numbers)}</td>"
    if summary.times > 1:
        yield f"<td>{escape(figure(measure, summary.spread(name)))}</td>"
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
        interval = f" ({gettext('{low} to {high}', low=low, high=high)})"
    difference = figure(measure, change.now - change.before, signed=True)
    differ = gettext("{count} of {questions} differ", count=change.differing, questions=change.pairs)
    yield f"<td>{escape(figure(measure, change.before))}</td>"
    yield (
        f'<td class="change is-{change.verdict}"><strong><span aria-hidden="true">{sign}</span> '
        f"{escape(translated(verdict))}</strong> <span>{escape(difference + interval)}</span> "
        f"<small>{escape(differ)}, p = {change.chance:.2g}</small></td>"
    )
