"""The errors of OpenAI's API. Source: its guide, "Error codes", and `ErrorObject` of its description in OpenAPI."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from chat_ui.protocol.conformance.report import Finding
from chat_ui.protocol.conformance.seen import finding, value_of
from chat_ui.protocol.conformance.wires.judging import SeenOnWire, error_in_words, refusal_in
from chat_ui.protocol.translatable import msg

_ERRORS: Final = msg("OpenAI guide: Error codes")


def error_findings(seen: SeenOnWire) -> Iterator[Finding]:
    """How a request that is wrong is refused."""
    refusal = refusal_in(seen)
    evidence = error_in_words(refusal)
    yield finding(
        msg("A request that is wrong gets a status from 400 to 499"), _ERRORS,
        400 <= refusal[0] < 500 if refusal else None, evidence,
    )  # fmt: skip
    value = value_of(refusal[1]) if refusal else None
    error = value.get("error") if isinstance(value, Mapping) else None
    is_object = isinstance(error, Mapping) and all(isinstance(error.get(key), str) for key in ("message", "type"))
    yield finding(
        msg("A request that is wrong gets an “error” with a “message” and a “type”"), _ERRORS,
        is_object if refusal else None, evidence,
    )  # fmt: skip
