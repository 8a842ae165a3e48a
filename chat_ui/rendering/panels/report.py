"""The verdict on a backend, as HTML for people who build one."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from chat_ui.languages.translation import gettext, translated
from chat_ui.protocol.clean_text import clean_text
from chat_ui.protocol.conformance.report import (
    Finding,
    Report,
    Standing,
    broken_rules,
    presence,
    source_in_words,
    standing_in_words,
    timings,
)
from chat_ui.protocol.translatable import msg


def report_html(report: Report) -> str:
    """The rules with what came, the broken ones first, what else the backend does, and what was sent, each as a table
    under a heading.
    """
    broken = broken_rules(report.findings)
    findings = sorted(report.findings, key=lambda finding: finding not in broken)
    others = [
        *((presence(part.present), part.name, part.detail) for part in report.parts),
        *((gettext("answers"), behaviour.case, behaviour.answer) for behaviour in report.behaviours),
        *((gettext("seconds"), name, words) for name, words in timings(report)),
    ]
    requests = (
        (f"{sent.method} {sent.url}", str(sent.status or gettext("no answer")), sent.outcome_for_people)
        for sent in report.requests
    )
    rules = (
        (_standing(finding, broken), finding.rule, source_in_words(finding.source), finding.evidence)
        for finding in findings
    )
    return (
        _table(
            gettext("Rules of the specification"),
            (gettext("Standing"), gettext("Rule"), gettext("Source"), gettext("What came")),
            rules,
        )
        + _table(gettext("What else it does"), ("", gettext("What"), gettext("How")), others)
        + _table(gettext("What was sent"), (gettext("Request"), gettext("Status"), gettext("What it told")), requests)
    )


def _standing(finding: Finding, broken: tuple[Finding, ...]) -> str:
    # Where a document has two forms, keeping one of them is enough.
    excused = finding.standing is Standing.BROKEN and finding not in broken
    return msg("the other one is held") if excused else standing_in_words(finding.standing)


def _table(title: str, heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    body = "".join(f"<tr>{''.join(_cell(words) for words in row)}</tr>" for row in rows)
    if not body:
        return ""
    head = "".join(f'<th scope="col">{escape(words)}</th>' if words else "<td></td>" for words in heads)
    return (
        f'<h2>{escape(title)}</h2><div class="table-scroll" role="region" tabindex="0" aria-label="{escape(title)}">'
        f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _cell(words: str) -> str:
    named = {standing_in_words(one): one.value for one in (Standing.HELD, Standing.BROKEN)}
    marked = f' class="{named[words]}"' if words in named else ""
    return f'<td{marked} dir="auto">{escape(clean_text(translated(words)))}</td>'
