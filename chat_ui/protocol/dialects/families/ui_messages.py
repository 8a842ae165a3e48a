"""The Vercel AI SDK's UI message stream, since version 5 of the SDK, and the data stream before it.

Source: the SDK's reference, "Stream protocols". A stream is server-sent events with a `type` each; a data stream is
lines, whose first character is their kind.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Final

from chat_ui.protocol.answers.data_points import SOURCES
from chat_ui.protocol.answers.thoughts import STEPS
from chat_ui.protocol.backends.backend import Backend, RequestForm
from chat_ui.protocol.backends.request import ChatRequest, Message
from chat_ui.protocol.dialects.answer_text import AnswerText
from chat_ui.protocol.dialects.contents import content_text
from chat_ui.protocol.dialects.contexts import CONTEXT_KEYS
from chat_ui.protocol.dialects.family import Dialect, Family, FamilyReader, KnownBackend, Match
from chat_ui.protocol.dialects.found_sources import context_found
from chat_ui.protocol.dialects.plain import has_only
from chat_ui.protocol.dialects.tool_calls import ToolCalls
from chat_ui.protocol.events import (
    ContextReceived,
    CutOff,
    Event,
    Json,
    JsonObject,
    ReasoningDelta,
    UsageReceived,
)
from chat_ui.protocol.translatable import msg

_TYPES: Final = frozenset(
    {
        "start-step", "finish-step", "message-metadata",
        "text-start", "text-delta", "text-end", "reasoning-start", "reasoning-delta", "reasoning-end",
        "source-url", "source-document",
        "tool-input-start", "tool-input-delta", "tool-input-available", "tool-input-error", "tool-output-available",
        "tool-output-error", "tool-output-denied", "tool-approval-request",
    }
)  # fmt: skip
_USUAL_TYPES: Final = frozenset({"start", "finish", "abort", "file"})
"""Types that others have too."""
_KEYS_AROUND: Final = frozenset(
    {
        "type", "messageId", "messageMetadata", "finishReason", "reason", "url", "mediaType", "filename",
        "providerMetadata",
    }
)  # fmt: skip
_KEYS: Final = frozenset({"type", "id", "delta"})
_FINISHES: Final = {"content-filter": "content_filter", "tool-calls": "tool_calls", "length": "length"}
_CONTEXTS: Final = {
    "datapoints": "data_points", "sources": "data_points", "citations": "citations", "thoughts": "thoughts",
    "steps": "thoughts", "followupquestions": "followup_questions", "followups": "followup_questions",
    "suggestions": "followup_questions", "suggestedquestions": "followup_questions",
}  # fmt: skip
"""Names of data parts, without their separators, by the key of a context that they are."""
_SEPARATORS: Final = re.compile(r"[-_\s]")


class UiMessagesReader(FamilyReader):
    """Reads the parts of a message as they come."""

    text_places: ClassVar = "ui-messages"

    def __init__(self, text: AnswerText) -> None:
        super().__init__(text)
        self._calls = ToolCalls()
        self._has_reasoned = False
        self._files = 0

    def read(self, value: JsonObject) -> Iterator[Event]:
        """The events of a part."""
        kind = value.get("type")
        if not isinstance(kind, str):
            return
        if kind.startswith("data-"):
            yield from self._data(kind.removeprefix("data-"), value)
        elif kind.startswith("tool-"):
            yield from self._tool(kind, value)
        elif kind == "text-delta":
            yield from self.text.piece(content_text(value.get("delta")))
        elif kind == "text-start" and self.text.has_begun:
            yield from self.text.piece("\n\n")
        elif kind == "reasoning-delta" and (text := content_text(value.get("delta"))):
            self._has_reasoned = True
            yield ReasoningDelta(text)
        elif kind == "reasoning-start" and self._has_reasoned:
            yield ReasoningDelta("\n\n")
        elif kind in {"source-url", "source-document"}:
            yield from _source(value)
        elif kind == "file":
            yield from self._file(value)
        elif kind == "abort":
            said = content_text(value.get("reason"))
            stopped = msg("the backend broke the answer off")
            yield CutOff(msg("{problem}: {reason}", problem=stopped, reason=said) if said else stopped)
        else:
            yield from self._around(kind, value)

    def _around(self, kind: str, value: JsonObject) -> Iterator[Event]:
        """What stands around the parts: the message's metadata, and how it ended."""
        metadata = value.get("messageMetadata")
        if isinstance(metadata, Mapping):
            usage = metadata.get("usage") or metadata.get("totalUsage")
            if isinstance(usage, Mapping) and usage:
                yield UsageReceived(usage)
            yield from context_found(metadata, "metadata ")
        if kind == "finish":
            self.text.asks_for_tool |= bool(self._calls.waiting)
            reason = value.get("finishReason")
            yield from self.text.finish(_FINISHES.get(reason, reason) if isinstance(reason, str) else None)

    def _tool(self, kind: str, value: JsonObject) -> Iterator[Event]:
        key = str(value.get("toolCallId"))
        self._calls.begin(key, value.get("toolName"))
        if kind == "tool-input-delta":
            self._calls.add(key, value.get("inputTextDelta"))
            return
        if "input" in value:
            self._calls.replace(key, value["input"])
        if kind == "tool-output-available":
            self._calls.end(key, value.get("output"))
            yield from context_found(value.get("output"), f"{key} ")
        elif kind in {"tool-output-error", "tool-input-error"}:
            self._calls.end(key, content_text(value.get("errorText")), has_failed=True)
        elif kind == "tool-output-denied":
            self._calls.end(key, msg("The call was denied."), has_failed=True)
        elif kind == "tool-approval-request":
            self.text.asks_for_tool = True
        yield from self._calls.steps()

    def _data(self, name: str, value: JsonObject) -> Iterator[Event]:
        data = value.get("data")
        key = _CONTEXTS.get(_SEPARATORS.sub("", name).lower())
        if key is not None and not (isinstance(data, Mapping) and data.keys() & CONTEXT_KEYS):
            yield ContextReceived({key: data})
            return
        events = list(context_found(data, f"{name} {value.get('id', '')} "))
        yield from events
        if not events:
            step: JsonObject = {"title": name, "description": data}
            yield ContextReceived({STEPS: {f"data {name} {value.get('id', '')}": step}})

    def _file(self, value: JsonObject) -> Iterator[Event]:
        self._files += 1
        name, url, media_type = value.get("filename"), value.get("url"), value.get("mediaType")
        if not isinstance(url, str):
            return
        is_image = isinstance(media_type, str) and media_type.startswith("image/")
        shown: JsonObject = {"url": url, "detail": "auto"} if is_image else {"url": url, "title": name or media_type}
        yield ContextReceived({SOURCES: {name if isinstance(name, str) and name else f"file{self._files}": shown}})

    def plain_text(self, value: dict[str, Any]) -> str | None:
        """The text of a part that is a piece of text and nothing else."""
        if value.get("type") != "text-delta":
            return None
        text = value.get("delta")
        return text if type(text) is str and (_KEYS.issuperset(value) or has_only(_KEYS, value)) else None


def _source(value: JsonObject) -> Iterator[Event]:
    key = value.get("sourceId") or value.get("url") or value.get("filename") or value.get("title")
    if isinstance(key, str):
        name = value.get("title") or value.get("filename") or value.get("url") or key
        url = value.get("url")
        yield ContextReceived({SOURCES: {key: {"title": name, "content": "", **({"url": url} if url else {})}}})


def _match(_present: JsonObject, value: JsonObject) -> Match | None:
    kind = value.get("type")
    if not isinstance(kind, str):
        return None
    is_part = kind in _TYPES or (kind in _USUAL_TYPES and _KEYS_AROUND.issuperset(value))
    return Match("ai-sdk", 95) if is_part or (kind.startswith("data-") and "data" in value) else None


def _ui_message(message: Message, place: int) -> JsonObject:
    parts: list[Json] = [{"type": "text", "text": message.content}] if message.content else []
    files: list[Json] = [
        {"type": "file", "mediaType": file.media_type, "filename": file.name, "url": file.data_uri}
        for file in message.files
    ]
    return {"id": f"message-{place + 1}", "role": message.role, "parts": [*files, *parts]}


def _body(backend: Backend, request: ChatRequest, messages: list[Json]) -> dict[str, Json]:
    body: dict[str, Json] = {"id": request.conversation, "messages": messages, "trigger": "submit-message"}
    return {**body, **request.overrides, **({"model": backend.model} if backend.model else {})}


_BACKEND: Final = KnownBackend(
    msg("Vercel AI SDK (useChat)"),
    "/api/chat",
    Backend("", streaming="server", form=RequestForm(_ui_message, _body), files="parts", known_overrides=()),
    wants=re.compile(r"\bparts\b|\buimessages?\b|submit-message", re.IGNORECASE),
)

FAMILY: Final = Family(
    dialects=(
        Dialect(
            "ai-sdk",
            msg("Vercel AI SDK"),
            "UI message stream since version 5, and the data stream before it",
            "backends of `useChat`",
        ),
    ),
    match=_match,
    reader=UiMessagesReader,
    position=7,
    backends={"ai-sdk": _BACKEND},
    known=lambda _: "ai-sdk",
)
