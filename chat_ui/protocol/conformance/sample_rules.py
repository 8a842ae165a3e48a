"""The rules of the AI Chat Protocol's shape of 2026: contexts and pieces of text as events with a `type`.

Source: azure-search-openai-demo, `app/backend/approaches/chatreadretrieveread.py` (`run_with_streaming`,
`run_without_streaming`) since April 2026. No published document describes that shape.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from chat_ui.protocol.conformance.report import MICROSOFT, Finding, Source, Specification
from chat_ui.protocol.conformance.rules import (
    Seen,
    context_findings,
    error_findings,
    request_findings,
    state_findings,
    stream_findings,
    whole_findings,
)
from chat_ui.protocol.conformance.seen import body_of, finding, objects_of, whole_values
from chat_ui.protocol.dialects.wire_rules import as_json
from chat_ui.protocol.events import JsonObject

SPECIFICATION: Final = Specification("the source of azure-search-openai-demo since April 2026", None)
_SOURCE: Final[Source] = "azure-search-openai-demo"
_OF_MICROSOFT: Final = frozenset({"TypeSpec", MICROSOFT})


def judge(seen: Seen) -> tuple[Finding, ...]:
    """Every rule, in the order of the protocol's; those of Microsoft's specification alone are none of the sample's."""
    values = list(objects_of(seen.streamed.wire))
    findings = (
        *request_findings(seen),
        *whole_findings(seen),
        _output_text(seen),
        *stream_findings(seen.streamed),
        *_events(values),
        *context_findings(seen, values),
        *state_findings(values + whole_values(seen.whole)),
        *error_findings(seen),
    )
    return tuple(replace(one, source=_SOURCE) for one in findings if one.source not in _OF_MICROSOFT)


def _output_text(seen: Seen) -> Finding:
    whole = seen.whole if seen.whole is not None and seen.whole.wire.status is not None else None
    value = (whole_values(whole) or [{}])[0]
    return finding(
        "An answer that is not streamed is one object with an “output_text” that is a string", _SOURCE,
        isinstance(value.get("output_text"), str) if whole else None, body_of(whole.wire) if whole else "",
    )  # fmt: skip


def _events(values: Sequence[JsonObject]) -> Iterator[Finding]:
    events = [value for value in values if value.get("error") is None]
    odd = next((event for event in events if not isinstance(event.get("type"), str)), None)
    yield finding(
        "Each object of a streamed answer has a “type” that is a string, or an “error”", _SOURCE,
        odd is None if values else None, as_json(odd or values[0]) if values else "",
    )  # fmt: skip
    first = values[0] if values else {}
    carries = first.get("type") == "response.context" and isinstance(first.get("context"), Mapping)
    yield finding(
        "The first object of a stream is a “response.context” that carries the context", _SOURCE,
        carries if values else None, as_json(first) if values else "",
    )  # fmt: skip
    texts = [event for event in events if event.get("type") == "response.output_text.delta"]
    odd = next((event for event in texts if not isinstance(event.get("delta"), str)), None)
    yield finding(
        "The text comes in objects of the type “response.output_text.delta”, whose “delta” is a string", _SOURCE,
        odd is None if texts else None, as_json(odd or texts[0]) if texts else "",
    )  # fmt: skip
