"""What a backend was seen sending, and findings on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.conformance.report import Finding, Source, Standing
from chat_ui.protocol.dialects.wire_rules import Observed, Wire, value_of
from chat_ui.protocol.events import JsonObject
from chat_ui.protocol.transport.probe import Probe
from chat_ui.protocol.transport.recorder import WireRecord

MAX_EVIDENCE: Final = 160


@dataclass(frozen=True, slots=True)
class Sent:
    """One question, its answer, and how that travelled."""

    answer: Answer
    wire: WireRecord

    @property
    def answered(self) -> bool:
        """Whether text came."""
        return bool(self.answer.text.strip())

    def header(self, name: str) -> str:
        """The value of a header of the response, or nothing."""
        return dict(self.wire.headers).get(name, "")


def finding(rule: str, source: Source, held: bool | None, evidence: str = "", topic: str = "") -> Finding:
    """How `rule` stands: held, broken, or not seen where that is None."""
    standing = Standing.NOT_SEEN if held is None else Standing.HELD if held else Standing.BROKEN
    return Finding(rule, source, standing, excerpt(evidence), topic)


def excerpt(text: str) -> str:
    """The beginning of `text`, on one line."""
    shown = " ".join(text.split())
    if shown == text and len(shown) <= MAX_EVIDENCE:
        return text
    return shown if len(shown) <= MAX_EVIDENCE else shown[: MAX_EVIDENCE - 1] + "…"


def status_in_words(status: int | None) -> str:
    """A status as evidence."""
    return f"status {status}"


def lines_of(wire: WireRecord) -> list[str]:
    """The lines that were kept whole and are not empty."""
    lines = list(wire.lines)
    if wire.left_out:
        del lines[wire.head_lines - 1 : wire.head_lines + 1]
    return [line.text for line in lines if line.text.strip()]


def objects_of(wire: WireRecord) -> Iterator[JsonObject]:
    """The lines that are one JSON object each."""
    for line in lines_of(wire):
        value = value_of(line)
        if isinstance(value, Mapping):
            yield value


def whole_values(whole: Sent | None) -> list[JsonObject]:
    """The one object that a body is; nothing where it is none."""
    value = value_of(body_of(whole.wire)) if whole is not None else None
    return [value] if isinstance(value, Mapping) else []


def body_of(wire: WireRecord) -> str:
    """The body."""
    return "\n".join(line.text for line in wire.lines)


def wire_findings(wire: Wire, streamed: Sent, whole: Sent | None, refused: Probe | None) -> tuple[Finding, ...]:
    """How the rules of `wire` stand, by the first answer, one that is not streamed, and the response to an empty
    object; None is what was not asked for.
    """
    lines = () if streamed.wire.left_out else tuple(line.text for line in streamed.wire.lines)
    is_whole = whole is not None and whole.wire.status == 200
    seen = Observed(
        streamed.wire.status,
        streamed.header("content-type"),
        lines,
        (whole_values(whole) or [{}])[0] if is_whole else None,
        (refused.status, refused.body.decode("utf-8", "replace")) if refused and refused.status is not None else None,
    )
    return tuple(finding(rule.words, rule.page, *rule.judge(seen)) for rule in wire.rules)
