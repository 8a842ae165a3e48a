"""OpenAI's chat completions.

Source: OpenAI's API reference, "Create chat completion", "The chat completion object" and "The chat completion chunk
object". A chunk without choices is not judged by the rules of a chunk: Azure sends one before the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from chat_ui.protocol.conformance.report import Finding, Specification
from chat_ui.protocol.conformance.seen import as_json, finding, is_media_type, whole_values
from chat_ui.protocol.conformance.wires.judging import SeenOnWire, Wire
from chat_ui.protocol.conformance.wires.openai_errors import error_findings
from chat_ui.protocol.conformance.wires.server_events import (
    events_of,
    first_breach,
    is_count,
    kept_unless,
    objects_in,
    stream_findings,
)
from chat_ui.protocol.dialects.objects import first_choice
from chat_ui.protocol.events import JsonObject
from chat_ui.protocol.translatable import msg

_CREATE: Final = msg("OpenAI reference: Create chat completion")
_CHUNK: Final = msg("OpenAI reference: The chat completion chunk object")
_COMPLETION: Final = msg("OpenAI reference: The chat completion object")
_ROLES: Final = ("developer", "system", "user", "assistant", "tool")
_REASONS: Final = ("stop", "length", "tool_calls", "content_filter", "function_call")
_COUNTS: Final = ("prompt_tokens", "completion_tokens", "total_tokens")


def _judge(seen: SeenOnWire) -> Iterator[Finding]:
    yield from stream_findings(seen.streamed, _CREATE, ends_with_done=True)
    values = objects_in(events_of(seen.streamed.wire))
    chunks = [value for value in values if value.get("choices")]
    yield from _chunks(chunks)
    whole = seen.whole if seen.whole is not None and seen.whole.wire.status == 200 else None
    wholes = whole_values(whole)
    usages = [usage for value in (*values, *wholes) if isinstance(usage := value.get("usage"), Mapping)]
    yield kept_unless(
        first_breach(usages, lambda usage: all(is_count(usage.get(key)) for key in _COUNTS)),
        msg("“usage” counts the tokens: of the prompt, of the completion, and in total"), _COMPLETION,
        was_seen=bool(usages),
    )  # fmt: skip
    media_type = whole.header("content-type") if whole else ""
    yield finding(
        msg("An answer that is not streamed has the content type application/json"), _CREATE,
        is_media_type(media_type, "application/json") if whole else None, f"content-type: {media_type}",
    )  # fmt: skip
    yield kept_unless(
        first_breach(wholes, _is_completion),
        msg("A whole answer has an “id”, the “object” “chat.completion” and a choice with a message of the assistant"),
        _COMPLETION, was_seen=bool(wholes),
    )  # fmt: skip
    yield from error_findings(seen)


def _chunks(chunks: list[JsonObject]) -> Iterator[Finding]:
    name = "chat.completion.chunk"
    yield kept_unless(
        first_breach(chunks, lambda chunk: chunk.get("object") == name),
        msg("The “object” of a chunk is {name}", name=name), _CHUNK, was_seen=bool(chunks),
    )  # fmt: skip
    number = chunks[0].get("id") if chunks else None
    yield kept_unless(
        first_breach(chunks, lambda chunk: isinstance(number, str) and chunk.get("id") == number),
        msg("Each chunk of an answer has the same “id”"), _CHUNK, was_seen=bool(chunks),
    )  # fmt: skip
    choices = [choice for chunk in chunks if (choice := first_choice(chunk)) is not None]
    yield kept_unless(
        first_breach(choices, lambda one: is_count(one.get("index")) and isinstance(one.get("delta"), Mapping)),
        msg("A choice has an “index” and a “delta”"), _CHUNK, was_seen=bool(choices),
    )  # fmt: skip
    deltas = [delta for choice in choices if isinstance(delta := choice.get("delta"), Mapping)]
    yield kept_unless(
        first_breach(deltas, lambda delta: delta.get("role") is None or delta.get("role") in _ROLES),
        msg("A delta’s “role” is developer, system, user, assistant or tool where it is there"), _CHUNK,
        was_seen=any(delta.get("role") is not None for delta in deltas),
    )  # fmt: skip
    reasons = [reason for choice in choices if (reason := choice.get("finish_reason")) is not None]
    last = reasons[-1] if reasons else None
    yield finding(
        msg("A choice says why it ended: stop, length, tool_calls, content_filter or function_call"), _CHUNK,
        last in _REASONS if choices else None, f'"finish_reason": {as_json(last)}',
    )  # fmt: skip


def _is_completion(value: JsonObject) -> bool:
    choice = first_choice(value) or {}
    message = choice.get("message")
    is_named = isinstance(value.get("id"), str) and value.get("object") == "chat.completion"
    return is_named and isinstance(message, Mapping) and message.get("role") == "assistant"


WIRE: Final = Wire(Specification(msg("OpenAI’s reference of chat completions"), None), _judge, answers_whole=True)
