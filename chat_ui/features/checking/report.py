from __future__ import annotations

from collections.abc import Iterable
from html import escape
from typing import Final

from chat_ui.protocol.clean_text import clean_text
from chat_ui.protocol.conformance.report import Finding, Report, counts_in_words, presence, results, timings

_MEANINGS: Final = {
    "not seen": "no response could show whether the rule is kept",
    "skipped": "does not apply to this backend",
}


def report_html(report: Report) -> str:
    """HTML tables in English: the rules with their evidence, failed ones first, other behaviour, and requests."""
    others = [
        *((presence(part.present), part.name, part.detail) for part in report.parts),
        *(("response", behaviour.case, behaviour.answer) for behaviour in report.behaviours),
        *(("timing", name, words) for name, words in timings(report)),
    ]
    requests = (
        (
            _cell(f"{sent.method} {sent.url}", class_name="request"),
            *map(_cell, (str(sent.status or "no answer"), sent.outcome_for_people)),
        )
        for sent in report.requests
    )
    rules = (
        (_cell(result, class_name=result.replace(" ", "-")), _cell(one.rule, one.evidence), _source(one.source))
        for result, one in results(report.findings)
    )
    return (
        _table("Rules", ("Result", "Rule and response", "Source"), rules, _legend(report.findings))
        + _table("Other behaviour", ("", "Feature or request", "Details"), (map(_cell, row) for row in others))
        + _table("Requests", ("Request", "Status", "Result"), requests)
    )


def _legend(findings: tuple[Finding, ...]) -> str:
    """The counts of the results, with the meaning of those that are neither failed nor passed."""
    counts = counts_in_words(findings)
    meanings = [f"{result.capitalize()}: {meaning}." for result, meaning in _MEANINGS.items() if result in counts]
    return f'<p class="report-legend"><strong>{counts}</strong><br>{" ".join(meanings)}</p>'


def _source(source: str) -> str:
    if not source.startswith("https://"):
        return _cell(source)
    link = f'<a href="{escape(source)}" target="_blank" rel="noopener noreferrer">{escape(source[8:])}</a>'
    return f"<td>{link}</td>"


def _table(title: str, heads: tuple[str, ...], rows: Iterable[Iterable[str]], legend: str = "") -> str:
    body = "".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    if not body:
        return ""
    head = "".join(f'<th scope="col">{escape(words)}</th>' if words else "<td></td>" for words in heads)
    return (
        f"<h2>{escape(title)}</h2>{legend}"
        f'<div class="table-scroll" role="region" tabindex="0" aria-label="{escape(title)}">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _cell(words: str, response: str = "", *, class_name: str = "") -> str:
    marked = f' class="{class_name}"' if class_name else ""
    below = f'<p class="response" dir="auto">{escape(clean_text(response))}</p>' if response else ""
    return f'<td{marked} dir="auto">{escape(clean_text(words))}{below}</td>'
