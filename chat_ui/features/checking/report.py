from __future__ import annotations

from collections.abc import Iterable
from html import escape

from chat_ui.protocol.clean_text import clean_text
from chat_ui.protocol.conformance.report import (
    Finding,
    Report,
    Standing,
    broken_rules,
    presence,
    result_in_words,
    timings,
)


def report_html(report: Report) -> str:
    """HTML tables in English: the rules with their evidence, broken ones first, other behaviour, and requests."""
    broken = broken_rules(report.findings)
    findings = sorted(report.findings, key=lambda finding: finding not in broken)
    others = [
        *((presence(part.present), part.name, part.detail) for part in report.parts),
        *(("response", behaviour.case, behaviour.answer) for behaviour in report.behaviours),
        *(("timing", name, words) for name, words in timings(report)),
    ]
    requests = (
        (f"{sent.method} {sent.url}", str(sent.status or "no answer"), sent.outcome_for_people)
        for sent in report.requests
    )
    rules = ((_result(one, broken), _cell(one.rule), _source(one.source), _cell(one.evidence)) for one in findings)
    return (
        _table("Rules", ("Result", "Rule", "Source", "Response"), rules)
        + _table("Other behaviour", ("", "Feature or request", "Details"), (map(_cell, row) for row in others))
        + _table("Requests", ("Request", "Status", "Result"), (map(_cell, row) for row in requests))
    )


def _result(finding: Finding, broken: tuple[Finding, ...]) -> str:
    words, is_marked = result_in_words(finding, broken), finding.standing is Standing.HELD or finding in broken
    return _cell(words, class_name=finding.standing.value if is_marked else "")


def _source(source: str) -> str:
    if not source.startswith("https://"):
        return _cell(source)
    link = f'<a href="{escape(source)}" target="_blank" rel="noopener noreferrer">{escape(source[8:])}</a>'
    return f"<td>{link}</td>"


def _table(title: str, heads: tuple[str, ...], rows: Iterable[Iterable[str]]) -> str:
    body = "".join(f"<tr>{''.join(row)}</tr>" for row in rows)
    if not body:
        return ""
    head = "".join(f'<th scope="col">{escape(words)}</th>' if words else "<td></td>" for words in heads)
    return (
        f'<h2>{escape(title)}</h2><div class="table-scroll" role="region" tabindex="0" aria-label="{escape(title)}">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _cell(words: str, *, class_name: str = "") -> str:
    marked = f' class="{class_name}"' if class_name else ""
    return f'<td{marked} dir="auto">{escape(clean_text(words))}</td>'
