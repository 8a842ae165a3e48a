"""`check`: the verdict on a backend, as a table on a wide terminal and as plain lines elsewhere."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from chat_ui.command_line.arguments import backend_of, pinning, pinning_hint
from chat_ui.command_line.terminal import Steps, note, print_json, shown, wide_console
from chat_ui.protocol.answers.redaction import without_query
from chat_ui.protocol.backends.backend import Bounds
from chat_ui.protocol.clean_text import clean_text
from chat_ui.protocol.conformance.examination import MAX_QUESTIONS, MAX_REQUESTS, check, is_unreachable
from chat_ui.protocol.conformance.report import (
    Report,
    counts_in_words,
    outcome_and_rest,
    presence,
    report_object,
    results,
    timings,
)
from chat_ui.protocol.transport.client import AsyncClient
from chat_ui.protocol.transport.guard import Guard

if TYPE_CHECKING:
    from rich.console import Console

CONFORMS: Final = 0
DOES_NOT_CONFORM: Final = 1
UNREACHABLE: Final = 3

_TABLE_COLUMNS: Final = 72
"""Minimum columns of a terminal for a readable table."""
_STYLES: Final = {"fail": "bold red", "pass": "green", "not seen": "dim", "skipped": "dim"}


async def check_backend(options: argparse.Namespace, key: str | None) -> int:
    """Judge, print and return the exit status: 0 conforming, 1 not conforming, 3 unreachable."""
    place = without_query(options.url)
    words = f"Sending up to {MAX_REQUESTS} requests to {place}, including up to {MAX_QUESTIONS} questions to a model."
    print(words, file=sys.stderr, flush=True)
    async with AsyncClient(Bounds(total_timeout=options.timeout), guard=Guard(options.policy)) as client:
        with Steps("Checking", MAX_REQUESTS) as steps:
            report = await check(
                pinning(client, options),
                options.url,
                headers=backend_of(options, key).headers,
                model=options.model,
                question=options.question,
                overrides=options.overrides,
                on_request=steps.note,
            )
    if options.json:
        print_json(report_object(report))
    elif (console := wide_console(_TABLE_COLUMNS)) is not None:
        show_tables(report, console)
    else:
        for line in plain_lines(report):
            print(shown(clean_text(line), sys.stdout))
    if report.error is not None:
        note(pinning_hint(report.error))
    if report.conforms is None:
        return UNREACHABLE if is_unreachable(report) else DOES_NOT_CONFORM
    return CONFORMS if report.conforms else DOES_NOT_CONFORM


def verdict_lines(report: Report) -> Iterator[str]:
    """The outcome, the rest of the verdict, and the counts of results, on a line each."""
    yield from filter(None, outcome_and_rest(report))
    if report.findings:
        yield counts_in_words(report.findings)


def plain_lines(report: Report) -> Iterator[str]:
    yield from verdict_lines(report)
    for result, finding in results(report.findings):
        evidence = f" | {finding.evidence}" if finding.evidence else ""
        yield f"{result:8} | {finding.source} | {finding.rule}{evidence}"
    for part in report.parts:
        yield f"optional | {part.name} | {presence(part.present)}{f' | {part.detail}' if part.detail else ''}"
    for behaviour in report.behaviours:
        yield f"response | {behaviour.case} | {behaviour.answer}"
    for name, timing in timings(report):
        yield f"timing   | {name} | {timing}"
    for sent in report.requests:
        yield f"request  | {sent.method} {sent.url} | {sent.status or 'no answer'} | {sent.outcome_for_people}"


def show_tables(report: Report, console: Console) -> None:
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    def text(words: str, style: str = "") -> Text:
        return Text(shown(clean_text(words), console.file), style=style)

    first, *others = verdict_lines(report)
    console.print(text(first, "bold"))
    for line in others:
        console.print(text(line))
    if report.findings:
        rules = Table("", "Rule", title="Rules", title_justify="left")
        rules.add_column("Source", overflow="fold")
        rules.add_column("Response", overflow="fold")
        for result, finding in results(report.findings):
            shown_result = text(result, _STYLES[result])
            rules.add_row(shown_result, text(finding.rule), text(finding.source), text(finding.evidence, "dim"))
        console.print(rules)
        behaviours = Table("", "", "", title="Other behaviour", title_justify="left", show_header=False)
        for part in report.parts:
            behaviours.add_row(text(presence(part.present)), text(part.name), text(part.detail, "dim"))
        behaviours.add_section()
        for behaviour in report.behaviours:
            behaviours.add_row(text("response"), text(behaviour.case), text(behaviour.answer, "dim"))
        behaviours.add_section()
        for name, timing in timings(report):
            behaviours.add_row(text("timing"), text(name), text(timing, "dim"))
        console.print(behaviours)
    requests = Table("Request", "Status", "Result", title="Requests", title_justify="left")
    for sent in report.requests:
        status = str(sent.status) if sent.status is not None else "no answer"
        requests.add_row(text(f"{sent.method} {sent.url}"), text(status), text(sent.outcome_for_people, "dim"))
    console.print(requests)
