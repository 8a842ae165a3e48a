"""The data stream of the AI SDK's versions 3 and 4: lines, each of them a kind, a colon and JSON.

Source: the SDK's documentation of version 4, "Stream protocols", and the parsers of its kinds. Annotations may come
after the end of a message, as the SDK itself sends them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from chat_ui.protocol.conformance.report import Finding, Specification
from chat_ui.protocol.conformance.seen import as_json, finding, lines_of, status_in_words, value_of
from chat_ui.protocol.conformance.wires.judging import SeenOnWire, Wire
from chat_ui.protocol.conformance.wires.server_events import Breach, kept_unless
from chat_ui.protocol.events import Json
from chat_ui.protocol.translatable import msg
from chat_ui.protocol.transport.recorder import WireRecord

_PROTOCOLS: Final = msg("AI SDK 4: Stream protocols")
_HEADER: Final = "x-vercel-ai-data-stream"
_LINE: Final = re.compile(r"(?!(?:data|event|id|retry):)[\w-]+:")
_TEXTS: Final = ("0", "3", "g")
_LISTS: Final = ("2", "8")
_OBJECTS: Final[Mapping[str, tuple[str, ...]]] = {
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
"""The kinds whose JSON is an object, each with its strings."""
_CONTENTS: Final = ("0", "9", "a", "b", "c", "g", "h", "k")
"""The kinds of what a message is made of."""


class _Part(NamedTuple):
    kind: str
    value: Json

    @property
    def line(self) -> str:
        return f"{self.kind}:{as_json(self.value)}"

    @property
    def call(self) -> str:
        """The call of a tool that it belongs to."""
        return as_json(self.value.get("toolCallId")) if isinstance(self.value, Mapping) else ""


def is_data_stream(wire: WireRecord) -> bool:
    """Whether a body is lines of that kind, and not server-sent events."""
    lines = lines_of(wire)
    return bool(lines) and _LINE.match(lines[0]) is not None


def _judge(seen: SeenOnWire) -> Iterator[Finding]:
    wire, version = seen.streamed.wire, seen.streamed.header(_HEADER)
    yield finding(msg("A streamed answer has status 200"), _PROTOCOLS, wire.status == 200, status_in_words(wire.status))
    yield finding(
        msg("A stream has the header {name}: {value}", name=_HEADER, value="v1"), _PROTOCOLS, version == "v1",
        f"{_HEADER}: {version}",
    )  # fmt: skip
    lines = [] if wire.left_out else lines_of(wire)
    parts = [_Part(kind, value_of(value)) for kind, _, value in (line.partition(":") for line in lines)]
    yield kept_unless(
        next((line for line, part in zip(lines, parts, strict=True) if not _is_known(part)), None),
        msg("Each line is a kind that is known, a colon, and JSON as that kind has it"), _PROTOCOLS,
        was_seen=bool(parts),
    )  # fmt: skip
    yield kept_unless(
        _before(parts, ("b",), ("c",)), msg("The pieces of a tool’s input come after its start"), _PROTOCOLS,
        was_seen=any(part.kind == "c" for part in parts),
    )  # fmt: skip
    yield kept_unless(
        _before(parts, ("9", "b"), ("a",)), msg("What a tool gives comes after what it was given"), _PROTOCOLS,
        was_seen=any(part.kind == "a" for part in parts),
    )  # fmt: skip
    yield kept_unless(
        _after_the_end(parts), msg("Nothing of a message comes after its end"), _PROTOCOLS,
        was_seen=any(part.kind == "d" for part in parts),
    )  # fmt: skip


def _is_known(part: _Part) -> bool:
    kind, value = part
    if kind in _TEXTS:
        return isinstance(value, str)
    if kind in _LISTS:
        return isinstance(value, list)
    if kind not in _OBJECTS or not isinstance(value, Mapping):
        return False
    return all(isinstance(value.get(key), str) for key in _OBJECTS[kind])


def _before(parts: Sequence[_Part], first: tuple[str, ...], then: tuple[str, ...]) -> Breach:
    """The first part of the kinds `then` before which none of the kinds `first` was of its call."""
    begun = set[str]()
    for part in parts:
        if part.kind in first:
            begun.add(part.call)
        elif part.kind in then and part.call not in begun:
            return part.line
    return None


def _after_the_end(parts: Sequence[_Part]) -> Breach:
    is_over = False
    for part in parts:
        if is_over and part.kind in _CONTENTS:
            return part.line
        is_over |= part.kind == "d"
    return None


WIRE: Final = Wire(Specification(msg("the AI SDK’s data stream"), "v1"), _judge, answers_whole=False)
