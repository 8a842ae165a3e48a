"""OpenAI's Responses.

Source: OpenAI's API reference, "Streaming events" and "Responses", and the types of its description in OpenAPI.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from chat_ui.protocol.conformance.report import Finding, Specification
from chat_ui.protocol.conformance.seen import (
    Sent,
    as_json,
    finding,
    is_media_type,
    objects_in_list,
    value_of,
    whole_values,
)
from chat_ui.protocol.conformance.wires.judging import SeenOnWire, Wire
from chat_ui.protocol.conformance.wires.openai_errors import error_findings
from chat_ui.protocol.conformance.wires.server_events import (
    Breach,
    ServerEvent,
    events_of,
    first_breach,
    is_count,
    kept_unless,
    objects_in,
    stream_findings,
    type_of,
)
from chat_ui.protocol.events import JsonObject
from chat_ui.protocol.translatable import msg

_STREAMING: Final = msg("OpenAI reference: Streaming events")
_RESPONSES: Final = msg("OpenAI reference: Responses")
_ENDS: Final = frozenset({"response.completed", "response.incomplete", "response.failed"})
_TEXTS: Final[Mapping[str, str]] = {"response.output_text": "text", "response.refusal": "refusal"}
"""The beginnings of the types of events with text, each with the key of the whole text."""
_DELTAS: Final = frozenset(f"{name}.delta" for name in _TEXTS)
_INDICES: Final[Mapping[str, tuple[str, ...]]] = {
    "url_citation": ("start_index", "end_index"),
    "container_file_citation": ("start_index", "end_index"),
    "file_citation": ("index",),
}
"""The keys of an annotation that are indices in the text, in their order."""
_COUNTS: Final = ("input_tokens", "output_tokens", "total_tokens")
Part: TypeAlias = tuple[str, str]
"""The place of a text: of its item in the output, and of the text in the item's content."""


def _judge(seen: SeenOnWire) -> Iterator[Finding]:
    yield from stream_findings(seen.streamed, _STREAMING, ends_with_done=None)
    events = events_of(seen.streamed.wire)
    values = objects_in(events)
    kinds = [type_of(value) for value in values]
    yield kept_unless(
        _misnamed(events), msg("The name of an event is its “type”"), _STREAMING,
        was_seen=any(event.name for event in events), evidence=f"event: {events[0].name}" if events else "",
    )  # fmt: skip
    yield kept_unless(
        _out_of_sequence(values), msg("“sequence_number” rises with each event"), _STREAMING, was_seen=bool(values)
    )
    yield finding(
        msg("A stream begins with {name}", name="response.created"), _STREAMING,
        kinds[0] == "response.created" if kinds else None, as_json(values[0]) if values else "",
    )  # fmt: skip
    yield kept_unless(
        _not_added(values), msg("An item and its part are added before their text comes"), _STREAMING,
        was_seen=any(kind in _DELTAS for kind in kinds),
    )  # fmt: skip
    yield kept_unless(
        _other_than_joined(values), msg("The whole text of a part is its deltas, joined"), _STREAMING,
        was_seen=any(f"{name}.done" in kinds for name in _TEXTS),
    )  # fmt: skip
    whole = seen.whole if seen.whole is not None and seen.whole.wire.status == 200 else None
    responses = _responses(values, whole)
    annotated = _annotated(values, responses)
    yield kept_unless(
        next((as_json(annotation) for annotation, text in annotated if not _lies_within(annotation, text)), None),
        msg("The indices of an annotation lie within its text"), _RESPONSES,
        was_seen=any(type_of(annotation) in _INDICES for annotation, _ in annotated),
    )  # fmt: skip
    is_over = bool(kinds) and kinds[-1] in {*_ENDS, "error"} and not any(kind in _ENDS for kind in kinds[:-1])
    yield finding(
        msg("A stream ends with the one event that completes, breaks off or fails its response"), _STREAMING,
        is_over if kinds else None, as_json(values[-1]) if values else "",
    )  # fmt: skip
    yield kept_unless(
        first_breach(responses, _is_response),
        msg("A response has an “id”, the “object” “response” and a list “output”"), _RESPONSES,
        was_seen=bool(responses),
    )  # fmt: skip
    usages = [usage for response in responses if isinstance(usage := response.get("usage"), Mapping)]
    yield kept_unless(
        first_breach(usages, lambda usage: all(is_count(usage.get(key)) for key in _COUNTS)),
        msg("A response’s “usage” counts the tokens: of the input, of the output, and in total"), _RESPONSES,
        was_seen=bool(usages),
    )  # fmt: skip
    media_type = whole.header("content-type") if whole else ""
    yield finding(
        msg("An answer that is not streamed has the content type application/json"), _RESPONSES,
        is_media_type(media_type, "application/json") if whole else None, f"content-type: {media_type}",
    )  # fmt: skip
    yield from error_findings(seen)


def _misnamed(events: Sequence[ServerEvent]) -> Breach:
    for name, data in events:
        value = value_of(data)
        if name and isinstance(value, Mapping) and value.get("type") != name:
            return f"event: {name}, data: {data}"
    return None


def _out_of_sequence(values: Sequence[JsonObject]) -> Breach:
    last = -1
    for value in values:
        number = value.get("sequence_number")
        if not isinstance(number, int) or number <= last:
            return as_json(value)
        last = number
    return None


def _part_of(value: JsonObject) -> Part:
    return as_json(value.get("output_index")), as_json(value.get("content_index"))


def _not_added(values: Sequence[JsonObject]) -> Breach:
    items, parts = set[str](), set[Part]()
    for value in values:
        kind, part = type_of(value), _part_of(value)
        if kind == "response.output_item.added":
            items.add(part[0])
        elif kind == "response.content_part.added":
            parts.add(part)
        elif kind in _DELTAS and not (part[0] in items and part in parts):
            return as_json(value)
    return None


def _joined(values: Sequence[JsonObject]) -> dict[tuple[str, Part], str]:
    """The deltas of each part, joined."""
    joined: dict[tuple[str, Part], str] = defaultdict(str)
    for value in values:
        name, _, ending = type_of(value).rpartition(".")
        if name in _TEXTS and ending == "delta":
            joined[name, _part_of(value)] += str(value.get("delta"))
    return joined


def _other_than_joined(values: Sequence[JsonObject]) -> Breach:
    joined = _joined(values)
    for value in values:
        name, _, ending = type_of(value).rpartition(".")
        if name in _TEXTS and ending == "done":
            text = joined.get((name, _part_of(value)))
            if text is not None and value.get(_TEXTS[name]) != text:
                return as_json(value)
    return None


def _responses(values: Sequence[JsonObject], whole: Sent | None) -> list[JsonObject]:
    """The responses as they were in the end."""
    ended = [value.get("response") for value in values if type_of(value) in _ENDS]
    return [response if isinstance(response, Mapping) else {} for response in ended] + whole_values(whole)


def _annotated(values: Sequence[JsonObject], responses: Sequence[JsonObject]) -> list[tuple[JsonObject, str]]:
    """Each annotation, with the text that it stands in."""
    joined = _joined(values)
    found = [
        (value.get("annotation"), joined.get(("response.output_text", _part_of(value)), ""))
        for value in values
        if type_of(value) == "response.output_text.annotation.added"
    ]
    for response in responses:
        for item in objects_in_list(response.get("output")):
            for content in objects_in_list(item.get("content")):
                found += [(one, str(content.get("text"))) for one in objects_in_list(content.get("annotations"))]
    return [(annotation, text) for annotation, text in found if isinstance(annotation, Mapping)]


def _lies_within(annotation: JsonObject, text: str) -> bool:
    """Whether its indices lie within `text`. The reference does not say in which units: the smaller ones will do."""
    units = len(text.encode("utf-16-le", "surrogatepass")) // 2
    last = 0
    for key in _INDICES.get(type_of(annotation), ()):
        index = annotation.get(key)
        if not (isinstance(index, int) and last <= index <= units):
            return False
        last = index
    return True


def _is_response(response: JsonObject) -> bool:
    has_id = isinstance(response.get("id"), str)
    return has_id and response.get("object") == "response" and isinstance(response.get("output"), list)


WIRE: Final = Wire(Specification(msg("OpenAI’s reference of Responses"), None), _judge, answers_whole=True)
