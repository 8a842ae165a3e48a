"""The rules of the AI SDK's UI message stream, and of the data stream of its versions 3 and 4.

Source: the SDK's documentation, and `uiMessageChunkSchema` of its versions 5 to 7. A stream may be without `start` and
`finish`: the SDK has options for that.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from chat_ui.protocol.dialects.objects import kind_of
from chat_ui.protocol.dialects.standards import (
    Observed,
    Rule,
    Standard,
    Verdict,
    as_json,
    done_rule,
    each,
    event_stream_rules,
    has_strings,
    status_rule,
    value_of,
)
from chat_ui.protocol.events import JsonObject

_PROTOCOL: Final = "https://ai-sdk.dev/docs/ai-sdk-ui/stream-protocol"
_SCHEMA: Final = "https://github.com/vercel/ai/blob/main/packages/ai/src/ui-message-stream/ui-message-chunks.ts"
_PROTOCOL_OF_4: Final = "https://v4.ai-sdk.dev/docs/ai-sdk-ui/stream-protocol"
STRINGS: Final[Mapping[str, tuple[str, ...]]] = {
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
_INPUTS: Final = frozenset({"tool-input-start", "tool-input-available", "tool-input-error"})
_OUTPUTS: Final = frozenset(
    {"tool-approval-request", "tool-output-available", "tool-output-error", "tool-output-denied"}
)
_INPUTS_OF_4: Final = frozenset({"9", "b"})
_OUTPUTS_OF_4: Final = frozenset({"a"})
_STRINGS_OF_4: Final[Mapping[str, tuple[str, ...]]] = {
    "9": ("toolCallId", "toolName"),
    "a": ("toolCallId",),
    "b": ("toolCallId", "toolName"),
    "c": ("toolCallId", "argsTextDelta"),
    "d": ("finishReason",),
    "e": ("finishReason",),
    "f": ("messageId",),
    "h": (),
    "i": ("data",),
    "j": ("signature",),
    "k": ("data", "mimeType"),
}
"""The kinds of lines whose JSON is an object, each with its strings."""
_TYPES_OF_4: Final[Mapping[str, type]] = {
    **dict.fromkeys("03g", str),
    **dict.fromkeys("28", list),
    **dict.fromkeys(_STRINGS_OF_4, dict),
}
_LINE: Final = re.compile(r"(?!(?:data|event|id|retry):)[\w-]+:")
_OUTPUT_AFTER_INPUT: Final = "Tool output comes after tool input"


def _is_known(value: JsonObject) -> bool:
    return kind_of(value) in STRINGS or kind_of(value).startswith("data-")


def _come_after(parts: Sequence[JsonObject], inputs: frozenset[str], outputs: frozenset[str]) -> Verdict:
    """Whether each part of `outputs` has the `toolCallId` of an earlier part of `inputs`."""
    begun: dict[str, int] = {}
    for place, part in enumerate(parts):
        if kind_of(part) in inputs:
            begun.setdefault(as_json(part.get("toolCallId")), place)
    found = [(place, part) for place, part in enumerate(parts) if kind_of(part) in outputs]
    early = [part for place, part in found if begun.get(as_json(part.get("toolCallId")), place) >= place]
    return each(early or [part for _, part in found], lambda _: not early)


def _kept_lines(observed: Observed) -> list[tuple[str, str]]:
    return [(kind, text) for kind, _, text in (line.partition(":") for line in observed.lines if line.strip())]


def _calls_of_4(observed: Observed) -> list[JsonObject]:
    """The lines whose JSON is an object, as parts with their kind as type."""
    values = ((kind, value_of(text)) for kind, text in _kept_lines(observed))
    return [{**value, "type": kind} for kind, value in values if isinstance(value, Mapping)]


def _are_lines(observed: Observed) -> Verdict:
    lines = _kept_lines(observed)
    odd = next((f"{kind}:{text}" for kind, text in lines if not _is_line(kind, text)), None)
    return Verdict(odd is None if lines else None, odd or "")


def _is_line(kind: str, text: str) -> bool:
    value = value_of(text)
    strings = _STRINGS_OF_4.get(kind, ())
    return isinstance(value, _TYPES_OF_4.get(kind, ())) and (
        not isinstance(value, dict) or all(isinstance(value.get(key), str) for key in strings)
    )


_UI_MESSAGE_STREAM: Final = Standard(
    "the AI SDK’s UI message stream",
    "v1",
    (
        *event_stream_rules(_PROTOCOL, may_be_done=True),
        Rule(
            "A part’s “type” is known or begins with “data-”",
            _SCHEMA,
            lambda observed: each(observed.objects, _is_known),
        ),
        Rule("Parts have the string fields of their type", _SCHEMA, has_strings(STRINGS)),
        Rule(_OUTPUT_AFTER_INPUT, _PROTOCOL, lambda observed: _come_after(observed.objects, _INPUTS, _OUTPUTS)),
        done_rule(_PROTOCOL),
    ),
)
_DATA_STREAM: Final = Standard(
    "the AI SDK’s data stream",
    "v1",
    (
        status_rule(_PROTOCOL_OF_4),
        Rule("Each line is a known prefix, a colon and JSON of that kind", _PROTOCOL_OF_4, _are_lines),
        Rule(
            _OUTPUT_AFTER_INPUT,
            _PROTOCOL_OF_4,
            lambda observed: _come_after(_calls_of_4(observed), _INPUTS_OF_4, _OUTPUTS_OF_4),
        ),
    ),
)


def standard_of(lines: Sequence[str]) -> Standard:
    """The standard of a body: the data stream, or else the UI message stream."""
    first = next(filter(str.strip, lines), "")
    return _DATA_STREAM if _LINE.match(first) else _UI_MESSAGE_STREAM
