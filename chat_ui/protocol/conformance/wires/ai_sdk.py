"""The UI message stream of Vercel's AI SDK.

Source: the SDK's documentation, "Stream protocols", and the schema of a chunk, `uiMessageChunkSchema`, of its versions
5 to 7. A stream may be without `start` and `finish`, and data may come before `start`: the SDK has options for that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from chat_ui.protocol.conformance.report import Finding, Specification
from chat_ui.protocol.conformance.seen import as_json, finding
from chat_ui.protocol.conformance.wires.judging import SeenOnWire, Wire
from chat_ui.protocol.conformance.wires.pairs import Pairs, without_fields
from chat_ui.protocol.conformance.wires.server_events import (
    Breach,
    events_of,
    first_breach,
    kept_unless,
    objects_in,
    stream_findings,
    type_of,
)
from chat_ui.protocol.events import JsonObject
from chat_ui.protocol.translatable import msg

_PROTOCOLS: Final = msg("AI SDK: Stream protocols")
_SCHEMA: Final = msg("AI SDK: uiMessageChunkSchema")
_HEADER: Final = "x-vercel-ai-ui-message-stream"
_FIELDS: Final[Mapping[str, tuple[str, ...]]] = {
    "start": (),
    "start-step": (),
    "text-start": ("id",),
    "text-delta": ("id", "delta"),
    "text-end": ("id",),
    "reasoning-start": ("id",),
    "reasoning-delta": ("id", "delta"),
    "reasoning-end": ("id",),
    "reasoning-file": ("url", "mediaType"),
    "tool-input-start": ("toolCallId", "toolName"),
    "tool-input-delta": ("toolCallId", "inputTextDelta"),
    "tool-input-available": ("toolCallId", "toolName"),
    "tool-input-error": ("toolCallId", "toolName", "errorText"),
    "tool-approval-request": ("toolCallId", "approvalId"),
    "tool-approval-response": ("approvalId",),
    "tool-output-available": ("toolCallId",),
    "tool-output-error": ("toolCallId", "errorText"),
    "tool-output-denied": ("toolCallId",),
    "source-url": ("sourceId", "url"),
    "source-document": ("sourceId", "mediaType", "title"),
    "file": ("url", "mediaType"),
    "custom": ("kind",),
    "steering-message": ("id",),
    "message-metadata": (),
    "error": ("errorText",),
    "reset-step": (),
    "finish-step": (),
    "finish": (),
    "abort": (),
}
"""The strings that a part of each type has."""
_OVER: Final = frozenset({"finish-step", "finish"})
_BROKEN_OFF: Final = frozenset({"error", "abort", "reset-step"})
_TEXTS: Final = Pairs("id", "text-start", frozenset({"text-delta"}), "text-end", _OVER, _BROKEN_OFF)
_REASONING: Final = Pairs("id", "reasoning-start", frozenset({"reasoning-delta"}), "reasoning-end", _OVER, _BROKEN_OFF)
_INPUTS: Final = frozenset({"tool-input-start", "tool-input-available", "tool-input-error"})
_OUTPUTS: Final = frozenset(
    {"tool-approval-request", "tool-output-available", "tool-output-error", "tool-output-denied"}
)
_ENDS: Final = frozenset({"finish", "abort"})
_CONTENTS: Final = ("text-", "reasoning-", "tool-", "source-", "file")
"""The beginnings of the types of what a message is made of."""


def _judge(seen: SeenOnWire) -> Iterator[Finding]:
    yield from stream_findings(seen.streamed, _PROTOCOLS, ends_with_done=True)
    version = seen.streamed.header(_HEADER)
    yield finding(
        msg("A stream has the header {name}: {value}", name=_HEADER, value="v1"), _PROTOCOLS, version == "v1",
        f"{_HEADER}: {version}",
    )  # fmt: skip
    parts = objects_in(events_of(seen.streamed.wire))
    yield kept_unless(
        first_breach(parts, lambda part: type_of(part) in _FIELDS or type_of(part).startswith("data-")),
        msg("The “type” of a part is known, or begins with “data-”"), _SCHEMA, was_seen=bool(parts),
    )  # fmt: skip
    yield kept_unless(
        without_fields(parts, _FIELDS), msg("A part has the strings of its type"), _SCHEMA,
        was_seen=any(_FIELDS.get(type_of(part)) for part in parts),
    )  # fmt: skip
    for pairs, rule in (
        (_TEXTS, msg("A text starts, grows and ends under one “id”")),
        (_REASONING, msg("Reasoning starts, grows and ends under one “id”")),
    ):
        yield kept_unless(pairs.breach_in(parts), rule, _PROTOCOLS, was_seen=pairs.occur_in(parts))
    yield kept_unless(
        _without_start(parts), msg("The pieces of a tool’s input come after its start"), _PROTOCOLS,
        was_seen=any(type_of(part) == "tool-input-delta" for part in parts),
    )  # fmt: skip
    yield kept_unless(
        _without_input(parts), msg("What a tool gives comes after what it was given"), _PROTOCOLS,
        was_seen=any(type_of(part) in _OUTPUTS for part in parts),
    )  # fmt: skip
    yield kept_unless(
        _after_the_end(parts), msg("Nothing of a message comes after its end"), _PROTOCOLS,
        was_seen=any(type_of(part) in _ENDS for part in parts),
    )  # fmt: skip


def _without_start(parts: Sequence[JsonObject]) -> Breach:
    return _before(parts, frozenset({"tool-input-start"}), frozenset({"tool-input-delta"}))


def _without_input(parts: Sequence[JsonObject]) -> Breach:
    return _before(parts, _INPUTS, _OUTPUTS)


def _before(parts: Sequence[JsonObject], first: frozenset[str], then: frozenset[str]) -> Breach:
    """The first part of the types `then` before which none of the types `first` had its `toolCallId`."""
    begun = set[str]()
    for part in parts:
        call = as_json(part.get("toolCallId"))
        if type_of(part) in first:
            begun.add(call)
        elif type_of(part) in then and call not in begun:
            return as_json(part)
    return None


def _after_the_end(parts: Sequence[JsonObject]) -> Breach:
    is_over = False
    for part in parts:
        if is_over and type_of(part).startswith(_CONTENTS):
            return as_json(part)
        is_over |= type_of(part) in _ENDS
    return None


WIRE: Final = Wire(Specification(msg("the AI SDK’s UI message stream"), "v1"), _judge, answers_whole=False)
