"""The verdict on a backend, as a value: what it was asked, what it did, and how that stands to the specification."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal, TypeAlias

from chat_ui.protocol.answer import Timing
from chat_ui.protocol.credentials import url_without_secrets
from chat_ui.protocol.detection import Tried
from chat_ui.protocol.events import ErrorInfo, Json

Source: TypeAlias = Literal["README", "TypeSpec", "README and TypeSpec"]


class Standing(StrEnum):
    """Whether a rule is kept."""

    HELD = "held"
    BROKEN = "broken"
    NOT_SEEN = "not seen"


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule of the specification and how it stands.

    `source` names the document that holds the rule: where README and TypeSpec differ there are two findings with the
    same `topic`, and keeping one of them is enough. `evidence` shows what came, where something did.
    """

    rule: str
    source: Source
    standing: Standing
    evidence: str = ""
    topic: str = ""


@dataclass(frozen=True, slots=True)
class Part:
    """An optional part of the protocol; `present` is None where it was not asked for."""

    name: str
    present: bool | None
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Behaviour:
    """How the backend answers something that is not a plain question."""

    case: str
    answer: str


@dataclass(frozen=True, slots=True)
class Report:
    """The verdict.

    `conforms` is None where the backend could not be judged, and `error` says why. `kind` is the name of the known
    backend that it is. `streamed` and `whole` are the seconds that an answer took. `tried` is every request, in order.
    """

    url: str
    conforms: bool | None
    verdict: str
    dialect: str | None = None
    kind: str | None = None
    error: ErrorInfo | None = None
    findings: tuple[Finding, ...] = ()
    parts: tuple[Part, ...] = ()
    behaviours: tuple[Behaviour, ...] = ()
    streamed: Timing = Timing()  # noqa: RUF009 - a frozen value
    whole: Timing = Timing()  # noqa: RUF009 - a frozen value
    tried: tuple[Tried, ...] = ()


def broken_rules(findings: tuple[Finding, ...]) -> tuple[Finding, ...]:
    """The rules that are broken; where two documents differ, only if neither is kept."""
    kept = {finding.topic for finding in findings if finding.topic and finding.standing is Standing.HELD}
    return tuple(finding for finding in findings if finding.standing is Standing.BROKEN and finding.topic not in kept)


def verdict_in_words(findings: tuple[Finding, ...], dialect: str | None, label: str | None) -> str:
    """One or two sentences for a person; `label` names the known backend, where it is one."""
    broken = broken_rules(findings)
    named = f" ({label})" if label else ""
    held = sum(finding.standing is Standing.HELD for finding in findings)
    if not broken:
        differ = [f"{finding.topic} as in the {finding.source}" for finding in findings
                  if finding.topic and finding.standing is Standing.HELD]  # fmt: skip
        where = f", {' and '.join(differ)}" if differ else ""
        return (
            f"It keeps to the protocol: {held} rules held and none broken{where}. "
            f"It answers in the dialect “{dialect or 'unknown'}”{named}."
        )
    rules = len({finding.topic or finding.rule for finding in broken})
    return (
        f"It does not keep to the protocol: {rules} rule{'' if rules == 1 else 's'} broken, {held} held. "
        f"It answers in the dialect “{dialect or 'unknown'}”{named}."
    )


def presence(present: bool | None) -> str:
    """Whether an optional part is there, in words."""
    return "not seen" if present is None else "present" if present else "absent"


def timings(report: Report) -> Iterator[tuple[str, str]]:
    """The seconds of the answers, in words, each after the name of the answer."""
    for name, timing in (("streamed answer", report.streamed), ("whole answer", report.whole)):
        if timing.total is not None:
            yield name, _seconds(timing)


def _seconds(timing: Timing) -> str:
    named = (("first byte", timing.first_byte), ("first text", timing.first_text), ("end", timing.total))
    return ", ".join(f"{name} {seconds:.2f}" for name, seconds in named if seconds is not None)


def report_object(report: Report) -> dict[str, Json]:
    """`report` as one JSON object."""
    error = report.error
    return {
        "url": url_without_secrets(report.url),
        "conforms": report.conforms,
        "verdict": report.verdict,
        "dialect": report.dialect,
        "kind": report.kind,
        "error": None if error is None else {"message": error.message, "code": error.code, "status": error.status},
        "rules": [
            {
                "rule": finding.rule,
                "source": finding.source,
                "standing": finding.standing.value,
                "evidence": finding.evidence,
            }
            for finding in report.findings
        ],
        "optional": [{"name": part.name, "present": part.present, "detail": part.detail} for part in report.parts],
        "behaviours": [{"case": behaviour.case, "answer": behaviour.answer} for behaviour in report.behaviours],
        "timing": {
            "streamed": _timing_object(report.streamed),
            "whole": _timing_object(report.whole),
        },
        "requests": [
            {"method": tried.method, "url": tried.url, "status": tried.status, "told": tried.told}
            for tried in report.tried
        ],
    }


def _timing_object(timing: Timing) -> dict[str, Json]:
    return {"first_byte_s": timing.first_byte, "first_text_s": timing.first_text, "total_s": timing.total}
