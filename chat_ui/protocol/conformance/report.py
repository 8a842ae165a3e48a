"""The verdict on a backend, as a value: its requests, its answers, and how these compare with the specification."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from enum import StrEnum
from typing import Final, Literal, TypeAlias

from chat_ui.protocol.answers.answer import Timing
from chat_ui.protocol.answers.redaction import url_without_secrets
from chat_ui.protocol.detection.requests import SentRequest
from chat_ui.protocol.dialects.registry import label_of
from chat_ui.protocol.events import ErrorInfo, Json

Document: TypeAlias = Literal["Azure-Samples’ README", "Microsoft’s specification"]
Source: TypeAlias = str
"""The source of a rule: a document, or a part of one."""
SAMPLES: Final[Document] = "Azure-Samples’ README"
MICROSOFT: Final[Document] = "Microsoft’s specification"
VERSION: Final = "2024-05-29"
"""The version of both documents."""
_NOT_BINDING: Final[Mapping[Document, frozenset[Source]]] = {
    SAMPLES: frozenset({"TypeSpec", MICROSOFT}),
    MICROSOFT: frozenset({SAMPLES}),
}
"""Sources that do not bind a backend of either document: the other document's own."""


class Standing(StrEnum):
    """Whether a rule is kept; broken rules of the other document are `NOT_ASKED`."""

    HELD = "held"
    BROKEN = "broken"
    NOT_ASKED = "not asked"
    NOT_SEEN = "not seen"


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule of a specification and how it stands.

    `source` is the rule's. Of the AI Chat Protocol, `README` is the prose of both documents, `TypeSpec` the types of
    Microsoft's, and a document its own deviation. Of the required findings of one `topic`, keeping one is enough.
    `evidence` is an excerpt of what came.
    """

    rule: str
    source: Source
    standing: Standing
    evidence: str = ""
    topic: str = ""


@dataclass(frozen=True, slots=True)
class Specification:
    """The published description by which a backend is judged; `version` may be None."""

    name: str
    version: str | None


@dataclass(frozen=True, slots=True)
class Part:
    """An optional part of the protocol; `present` is None if no request asked for it."""

    name: str
    present: bool | None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Behaviour:
    """The backend's answer to a request other than a plain question."""

    case: str
    answer: str


@dataclass(frozen=True, slots=True)
class Report:
    """The verdict.

    `conforms` is None if the backend could not be judged; `error` says why. `specification` is the judging one, None
    without a judgement. `known_backend` is the name in `KNOWN_BACKENDS`, else None. `streamed` and `complete` are the
    seconds of an answer. `requests` are all that were sent, in order.
    """

    url: str
    conforms: bool | None
    verdict: str
    specification: Specification | None = None
    dialect: str | None = None
    known_backend: str | None = None
    error: ErrorInfo | None = None
    findings: tuple[Finding, ...] = ()
    parts: tuple[Part, ...] = ()
    behaviours: tuple[Behaviour, ...] = ()
    streamed: Timing = Timing()  # noqa: RUF009 - a frozen value
    complete: Timing = Timing()  # noqa: RUF009 - a frozen value
    requests: tuple[SentRequest, ...] = ()


RESULTS: Final = ("fail", "pass", "not seen", "skipped")
"""The results of rules for people, in display order; `skipped` is not required of the backend."""
_NOT_KEPT: Final = frozenset({Standing.BROKEN, Standing.NOT_ASKED})


def followed(findings: tuple[Finding, ...]) -> Document:
    """The document that the answers follow: the one whose own rules are kept; Microsoft's if undecided."""
    held = [finding.source for finding in findings if finding.standing is Standing.HELD]
    return SAMPLES if held.count(SAMPLES) > held.count(MICROSOFT) else MICROSOFT


def judged_by_the_followed(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """`findings`, where rules outside the followed document are not broken."""
    not_asked_for = _NOT_BINDING[followed(findings)]
    return tuple(
        replace(one, standing=Standing.NOT_ASKED)
        if one.standing is Standing.BROKEN and one.source in not_asked_for
        else one
        for one in findings
    )


def broken_rules(findings: tuple[Finding, ...], document: Document | None = None) -> tuple[Finding, ...]:
    """The broken rules: of the AI Chat Protocol, those of `document`, or of the followed one."""
    asked_for = [one for one in findings if one.source not in _NOT_BINDING[document or followed(findings)]]
    kept = {one.topic for one in asked_for if one.topic and one.standing is Standing.HELD}
    return tuple(one for one in asked_for if one.standing in _NOT_KEPT and one.topic not in kept)


def results(findings: tuple[Finding, ...]) -> list[tuple[str, Finding]]:
    """The findings after their results, in the order of `RESULTS`. Of the two forms of a document, one is enough."""
    broken = broken_rules(findings)
    others = {Standing.HELD: "pass", Standing.NOT_SEEN: "not seen"}
    named = [("fail" if one in broken else others.get(one.standing, "skipped"), one) for one in findings]
    return sorted(named, key=lambda row: RESULTS.index(row[0]))


def counts_in_words(findings: tuple[Finding, ...]) -> str:
    """The number of rules with each result, such as “1 fail · 20 pass”."""
    counts = Counter(result for result, _ in results(findings))
    return " · ".join(f"{counts[result]} {result}" for result in RESULTS if counts[result])


def outcome_in_words(findings: tuple[Finding, ...]) -> str:
    """The number of rules that passed or failed, in words."""
    counts = Counter(result for result, _ in results(findings))
    failed, tested = counts["fail"], counts["fail"] + counts["pass"]
    rules = f"{tested} checked {'rule' if tested == 1 else 'rules'}"
    if failed:
        return f"{failed} of {rules} failed"
    return f"{'All ' if tested > 1 else ''}{rules} passed" if tested else "No rule could be checked"


def verdict_in_words(findings: tuple[Finding, ...], specification: Specification, dialect: str | None) -> str:
    """The outcome, the judging document, the demands of the AI Chat Protocol's other document, and the format."""
    name = ", ".join(filter(None, (specification.name, specification.version)))
    verdict = f"{outcome_in_words(findings)}. Judged by {name}."
    if specification.name in _NOT_BINDING:
        other: Document = MICROSOFT if specification.name == SAMPLES else SAMPLES
        broken = broken_rules(findings)
        if wanted := [finding.rule for finding in broken_rules(findings, other) if finding not in broken]:
            verdict += f" {other} also requires: {'; '.join(wanted)}."
    return f"{verdict} Detected: {label_of(dialect)}."


def outcome_and_rest(report: Report) -> tuple[str, str]:
    """The outcome and the rest of the verdict; the outcome is empty without a judgement."""
    if report.specification is None:
        return "", report.verdict
    outcome, _, rest = report.verdict.partition(". ")
    return outcome, rest


def presence(present: bool | None) -> str:
    """The presence of an optional part, in words."""
    return "not seen" if present is None else "present" if present else "absent"


def timings(report: Report) -> Iterator[tuple[str, str]]:
    """The seconds of the answers, in words, each after the name of the answer."""
    for name, timing in (("streamed answer", report.streamed), ("complete answer", report.complete)):
        if timing.total is not None:
            yield name, _seconds(timing)


def _seconds(timing: Timing) -> str:
    named = (("first byte", timing.first_byte), ("first text", timing.first_text), ("end", timing.total))
    return ", ".join(f"{moment} {seconds:.2f} s" for moment, seconds in named if seconds is not None)


def report_object(report: Report) -> dict[str, Json]:
    """`report` as one JSON object."""
    error, judged_by = report.error, report.specification
    return {
        "url": url_without_secrets(report.url),
        "conforms": report.conforms,
        "verdict": report.verdict,
        "document": {"name": judged_by.name, "version": judged_by.version} if judged_by else None,
        "dialect": report.dialect,
        "kind": report.known_backend,
        "error": None if error is None else {"message": error.message, "code": error.code, "status": error.status},
        "rules": [
            {"rule": one.rule, "source": one.source, "standing": one.standing.value, "evidence": one.evidence}
            for one in report.findings
        ],
        "optional": [asdict(part) for part in report.parts],
        "behaviours": [asdict(behaviour) for behaviour in report.behaviours],
        "timing": {"streamed": _timing_object(report.streamed), "whole": _timing_object(report.complete)},
        "requests": [
            {"method": sent.method, "url": sent.url, "status": sent.status, "told": sent.outcome}
            for sent in report.requests
        ],
    }


def _timing_object(timing: Timing) -> dict[str, Json]:
    return {"first_byte_s": timing.first_byte, "first_text_s": timing.first_text, "total_s": timing.total}
