"""A body of server-sent events, and the rules that every stream of them has.

Source: the HTML standard, "Server-sent events".
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple, TypeAlias

from chat_ui.protocol.conformance.report import Finding, Source
from chat_ui.protocol.conformance.seen import Sent, as_json, finding, is_media_type, lines_of, status_in_words, value_of
from chat_ui.protocol.events import Json, JsonObject
from chat_ui.protocol.translatable import msg
from chat_ui.protocol.transport.recorder import WireRecord

DONE: Final = "[DONE]"
Breach: TypeAlias = "str | None"
"""The evidence of the first thing that breaks a rule, None where nothing does."""


class ServerEvent(NamedTuple):
    """One event: its name, empty where it has none, and its data."""

    name: str
    data: str


def events_of(wire: WireRecord) -> tuple[ServerEvent, ...]:
    """The events of a body; none where a part of it was not kept, as nobody can tell what was there."""
    return () if wire.left_out else tuple(_events(line.text for line in wire.lines))


def _events(lines: Iterable[str]) -> Iterator[ServerEvent]:
    name, data = "", list[str]()
    for line in (*lines, ""):
        field, _, value = line.partition(":")
        if field == "event":
            name = value.removeprefix(" ")
        elif field == "data":
            data.append(value.removeprefix(" "))
        elif not line:
            if data:
                yield ServerEvent(name, "\n".join(data))
            name, data = "", []


def objects_in(events: Iterable[ServerEvent]) -> list[JsonObject]:
    """The data that are JSON objects."""
    return [value for event in events if isinstance(value := value_of(event.data), Mapping)]


def type_of(value: JsonObject) -> str:
    """The `type` of an object; empty where it has none."""
    kind = value.get("type")
    return kind if isinstance(kind, str) else ""


def stream_findings(streamed: Sent, source: Source, *, ends_with_done: bool | None) -> Iterator[Finding]:
    """The status, the content type, the events, and the `[DONE]` at the end: whether it is wanted, or None where it is
    neither wanted nor forbidden.
    """
    status, media_type = streamed.wire.status, streamed.header("content-type")
    yield finding(msg("A streamed answer has status 200"), source, status == 200, status_in_words(status))
    yield finding(
        msg("A streamed answer has the content type {name}", name="text/event-stream"), source,
        is_media_type(media_type, "text/event-stream"), f"content-type: {media_type}",
    )  # fmt: skip
    events = events_of(streamed.wire)
    is_done = bool(events) and events[-1].data == DONE
    wanted = events[:-1] if is_done and ends_with_done is not False else events
    odd = next((event.data for event in wanted if not isinstance(value_of(event.data), Mapping)), None)
    lines = lines_of(streamed.wire)
    if not events and lines and not streamed.wire.left_out:
        odd = lines[0]
    yield finding(
        msg("Each event of a stream is one JSON object"), source,
        odd is None if events or odd is not None else None, odd if odd is not None else _first(events),
    )  # fmt: skip
    if ends_with_done:
        yield finding(
            msg("A stream ends with {name}", name=DONE), source,
            is_done if events else None, events[-1].data if events else "",
        )  # fmt: skip


def _first(events: Sequence[ServerEvent]) -> str:
    return events[0].data if events else ""


def first_breach(values: Iterable[JsonObject], keeps: Callable[[JsonObject], bool]) -> Breach:
    """The first of `values` that does not keep a rule."""
    return next((as_json(value) for value in values if not keeps(value)), None)


def kept_unless(breach: Breach, rule: str, source: Source, *, was_seen: bool, evidence: str = "") -> Finding:
    """How a rule stands that is held where nothing breaks it; not seen where nothing that it is about came."""
    held = None if breach is None and not was_seen else breach is None
    return finding(rule, source, held, evidence if breach is None else breach)


def is_count(value: Json) -> bool:
    """Whether a value is a whole number."""
    return isinstance(value, int) and not isinstance(value, bool)
