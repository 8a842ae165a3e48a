"""The report: the figures, what changed, and a table of the questions in which each row opens its answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Final

from chat_ui.evaluation.bounds import Check
from chat_ui.evaluation.changes import Change, Earlier, by_question, question_change
from chat_ui.evaluation.report.figures import counted
from chat_ui.evaluation.report.question_row import Answered, question_row
from chat_ui.evaluation.report.summary_tables import checks_html, conditions_html, measures_html
from chat_ui.evaluation.report.table_head import filters_html, head_html
from chat_ui.evaluation.run_folder import Conditions, KeptResults
from chat_ui.evaluation.summary import Summary
from chat_ui.rendering.exported_page.assets import script, style
from chat_ui.rendering.exported_page.page_document import page_beginning, page_end

MOST_QUESTIONS: Final = 5_000
"""Questions that are in the report; the others are in the file of results."""
_HERE: Final = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Report:
    """What a report shows. `changes` are of the measures since the `earlier` run, whose conditions stand with it."""

    conditions: Conditions
    summary: Summary
    results: KeptResults
    changes: Mapping[str, Change] = field(default_factory=dict)
    checks: Sequence[Check] = ()
    earlier: tuple[Conditions, Earlier] | None = None


def report_html(report: Report) -> Iterator[str]:
    """The pieces of a whole HTML document that runs without a network. One question at a time is in memory."""
    yield page_beginning(
        "Evaluation", style(more=(_HERE / "report.css").read_text("utf-8")), script(_HERE / "report.js")
    )
    answers = counted(report.summary.results, "answer", "answers")
    yield f'<main class="report"><header class="page-head"><h1>Evaluation</h1><p>{answers}</p></header>'
    yield conditions_html(report.conditions, report.earlier[0] if report.earlier else None)
    if report.earlier is not None and not report.changes:
        yield "<p>The two runs have no question in common.</p>"
    yield checks_html(report.checks)
    yield measures_html(report.summary, report.changes)
    yield '<section class="of-questions"><h2 id="questions">Questions</h2>'
    yield filters_html(with_changes=report.earlier is not None)
    yield '<div class="questions-place"><table class="questions" aria-labelledby="questions">'
    yield head_html(with_changes=report.earlier is not None)
    for answered in islice(_answered(report), MOST_QUESTIONS):
        yield question_row(answered, with_changes=report.earlier is not None)
    yield "</table></div>"
    left_out = len({number for number, _ in report.results.places}) - MOST_QUESTIONS
    if left_out > 0:
        yield f"<p>{counted(left_out, 'more question is', 'more questions are')} in the file of results.</p>"
    yield f"</section></main>{page_end()}"


def _answered(report: Report) -> Iterator[Answered]:
    if report.earlier is None:
        yield from map(Answered, by_question(report.results))
        return
    for before, now in report.earlier[1].beside(report.results):
        if before:
            yield Answered(now, before[0], question_change([one.values for one in before], [one.values for one in now]))
        else:
            yield Answered(now)
