"""A wire: what backends speak beside the AI Chat Protocol, and how they are judged by its published description."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from chat_ui.protocol.conformance.report import Finding, Specification
from chat_ui.protocol.conformance.seen import Sent, reports_an_error, value_of
from chat_ui.protocol.translatable import msg
from chat_ui.protocol.transport.probe import Probe


@dataclass(frozen=True, slots=True)
class SeenOnWire:
    """All that a backend was seen doing; None is what it was not asked.

    `streamed` is the answer to the first question, `whole` one that was asked for without a stream, `refused` the
    response to an empty object.
    """

    streamed: Sent
    whole: Sent | None
    refused: Probe | None


@dataclass(frozen=True, slots=True)
class Wire:
    """How a wire is judged: by the rules of its `specification`, in their order.

    `answers_whole` says whether an answer may be asked for without a stream.
    """

    specification: Specification
    judge: Callable[[SeenOnWire], Iterable[Finding]]
    answers_whole: bool


def refusal_in(seen: SeenOnWire) -> tuple[int, str] | None:
    """The status and the body with which an empty object was refused; None where it was not."""
    refused = seen.refused
    if refused is None or refused.status is None:
        return None
    body = refused.body.decode("utf-8", "replace")
    is_refusal = refused.status >= 300 or reports_an_error(value_of(body))
    return (refused.status, body) if is_refusal else None


def error_in_words(refusal: tuple[int, str] | None) -> str:
    """A refusal as evidence."""
    return msg("status {status}: {body}", status=str(refusal[0]), body=refusal[1]) if refusal else ""
