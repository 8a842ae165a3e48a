"""The knowledge bases of Azure AI Search.

Source: the REST reference of Azure AI Search, "Knowledge Retrieval - Retrieve", version 2026-04-01 with what its
previews of 2026 add (messages; streams), and the guide to the answers that a knowledge base writes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from chat_ui.protocol.conformance.report import Finding, Specification
from chat_ui.protocol.conformance.seen import (
    as_json,
    body_of,
    finding,
    is_media_type,
    objects_in_list,
    status_in_words,
    value_of,
    whole_values,
)
from chat_ui.protocol.conformance.wires.judging import SeenOnWire, Wire, error_in_words, refusal_in
from chat_ui.protocol.conformance.wires.server_events import (
    Breach,
    ServerEvent,
    events_of,
    first_breach,
    is_count,
    kept_unless,
    type_of,
)
from chat_ui.protocol.events import Json, JsonObject
from chat_ui.protocol.translatable import msg

_VERSION: Final = "2026-04-01"
_REFERENCE: Final = msg("Azure REST reference {version}", version=_VERSION)
_GUIDE: Final = msg("Azure AI Search guide: Answer synthesis")
_PREVIEW: Final = msg("Azure REST reference {version}", version="2026-08-01-preview")
_COMPLETED: Final = "response.completed"
_CITED: Final = re.compile(r"\[ref_id:([^\]\s]+)\]")


def _judge(seen: SeenOnWire) -> Iterator[Finding]:
    wire, media_type = seen.streamed.wire, seen.streamed.header("content-type")
    yield finding(
        msg("An answer has status 200 or 206"), _REFERENCE, wire.status in {200, 206}, status_in_words(wire.status)
    )
    yield finding(
        msg("An answer has the content type application/json, or text/event-stream where it is a stream"), _REFERENCE,
        is_media_type(media_type, "text/event-stream" if events_of(wire) else "application/json"),
        f"content-type: {media_type}",
    )  # fmt: skip
    yield from _stream(events_of(wire))
    value = _answer(seen)
    yield finding(
        msg("An answer is one object, whose “response” is a list of messages"), _REFERENCE,
        None if _has_failed(events_of(wire)) else isinstance(value.get("response"), list), body_of(wire),
    )  # fmt: skip
    messages = objects_in_list(value.get("response"))
    yield kept_unless(
        first_breach(messages, _has_contents),
        msg("A message has a list “content” of texts and images"), _REFERENCE, was_seen=bool(messages),
    )  # fmt: skip
    activity, references = objects_in_list(value.get("activity")), objects_in_list(value.get("references"))
    yield from _records(activity, references)
    numbers = {as_json(reference.get("id")) for reference in references}
    texts = [str(content.get("text")) for one in messages for content in objects_in_list(one.get("content"))]
    cited = [number for text in texts for number in _CITED.findall(text)] if references else []
    yield kept_unless(
        next((f"[ref_id:{number}]" for number in cited if as_json(number) not in numbers), None),
        msg("What the text cites as [ref_id:…] is among the “references”"), _GUIDE, was_seen=bool(cited),
    )  # fmt: skip
    refusal = refusal_in(seen)
    error = value_of(refusal[1]) if refusal else None
    told = error.get("error") if isinstance(error, Mapping) else None
    yield finding(
        msg("A request that is wrong gets an “error” with a “code” and a “message”"), _REFERENCE,
        isinstance(told, Mapping) and all(isinstance(told.get(key), str) for key in ("code", "message"))
        if refusal else None,
        error_in_words(refusal),
    )  # fmt: skip


def _stream(events: Sequence[ServerEvent]) -> Iterator[Finding]:
    last = events[-1] if events else None
    yield finding(
        msg("A stream ends with {name} or an error", name=_COMPLETED), _PREVIEW,
        last.name in {_COMPLETED, "error"} if last else None, f"event: {last.name}" if last else "",
    )  # fmt: skip


def _has_failed(events: Sequence[ServerEvent]) -> bool:
    return bool(events) and events[-1].name == "error"


def _answer(seen: SeenOnWire) -> JsonObject:
    """The whole answer, which is also what the last event of a stream carries."""
    ended = [event.data for event in events_of(seen.streamed.wire) if event.name == _COMPLETED]
    value = value_of(ended[-1]) if ended else (whole_values(seen.streamed) or [{}])[0]
    if ended and isinstance(value, Mapping):
        value = value.get("response")
    return value if isinstance(value, Mapping) else {}


def _has_contents(message: JsonObject) -> bool:
    contents = message.get("content")
    return isinstance(contents, list) and all(_is_content(content) for content in contents)


def _is_content(content: Json) -> bool:
    if not isinstance(content, Mapping):
        return False
    image = content.get("image")
    is_image = type_of(content) == "image" and isinstance(image, Mapping) and isinstance(image.get("url"), str)
    return is_image or (type_of(content) == "text" and isinstance(content.get("text"), str))


def _records(activity: list[JsonObject], references: list[JsonObject]) -> Iterator[Finding]:
    """The rules of the records that come with an answer."""
    yield kept_unless(
        first_breach(activity, lambda one: is_count(one.get("id")) and bool(type_of(one))),
        msg("A record of the activity has an “id” that is a number, and a “type”"), _REFERENCE,
        was_seen=bool(activity),
    )  # fmt: skip
    yield kept_unless(
        first_breach(references, lambda one: isinstance(one.get("id"), str) and bool(type_of(one))),
        msg("A reference has an “id” that is a string, and a “type”"), _REFERENCE, was_seen=bool(references),
    )  # fmt: skip
    yield kept_unless(
        _twice(activity) or _twice(references), msg("No two records and no two references have the same “id”"),
        _REFERENCE, was_seen=bool(activity or references),
    )  # fmt: skip
    known = {as_json(one.get("id")) for one in activity}
    yield kept_unless(
        first_breach(
            references,
            lambda one: is_count(one.get("activitySource")) and (not known or as_json(one["activitySource"]) in known),
        ),
        msg("The “activitySource” of a reference is the “id” of a record of the activity"), _REFERENCE,
        was_seen=bool(references),
    )  # fmt: skip


def _twice(records: Iterable[JsonObject]) -> Breach:
    """The first record that has the id of one before it."""
    numbers = set[str]()
    for record in records:
        number = as_json(record.get("id"))
        if number in numbers:
            return as_json(record)
        numbers.add(number)
    return None


WIRE: Final = Wire(
    Specification(msg("Azure AI Search’s reference of knowledge bases"), _VERSION), _judge, answers_whole=False
)
