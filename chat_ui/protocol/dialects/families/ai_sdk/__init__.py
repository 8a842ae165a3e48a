"""The Vercel AI SDK's UI message stream, since version 5 of the SDK, and the data stream before it.

Source: the SDK's reference, "Stream protocols", and `uiMessageChunkSchema` of its version 7. A stream is server-sent
events: parts with a `type` each. A data stream is lines that begin with a character for their kind. The framer gives
each line as `{"type": "0:", "value": …}`, and it is read as the equivalent part of version 5.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Final

from chat_ui.protocol.answers.data_points import MAX_DATA_POINTS, SOURCES
from chat_ui.protocol.answers.pause import Resume, paused
from chat_ui.protocol.answers.thoughts import STEPS
from chat_ui.protocol.backends.backend import Backend, ChatRequest, Message, RequestFormat
from chat_ui.protocol.dialects.answer_text import AnswerText
from chat_ui.protocol.dialects.contexts import CONTEXT_KEYS, context_found
from chat_ui.protocol.dialects.families.ai_sdk.message_parts import WIRE, MessageParts, message_of
from chat_ui.protocol.dialects.families.ai_sdk.part_rules import STRINGS, standard_of
from chat_ui.protocol.dialects.family import Answered, Dialect, End, Family, FamilyReader, KnownBackend, Match
from chat_ui.protocol.dialects.objects import (
    content_text,
    kind_of,
    message_text,
    object_in,
    objects_in,
    only_text,
    string_in,
)
from chat_ui.protocol.dialects.placed_citations import AnnotatedCitation
from chat_ui.protocol.dialects.reported_errors import NOTHING_SAID, error_of
from chat_ui.protocol.dialects.tool_calls import ToolCalls, calls_of
from chat_ui.protocol.events import (
    AnswerWarning,
    ContextReceived,
    CutOff,
    ErrorInfo,
    Event,
    Failed,
    Json,
    JsonObject,
    ReasoningDelta,
    UsageReceived,
)
from chat_ui.protocol.translatable import msg

_USUAL_TYPES: Final = frozenset({"start", "finish", "abort", "file"})
"""Types that other dialects have too."""
_TYPES: Final = STRINGS.keys() - _USUAL_TYPES - {"error", "custom"}
_KINDS: Final = frozenset(
    {*(f"{kind}:" for kind in "0123456789abcdefghijk"), "aui-text-delta:", "aui-reasoning-delta:", "aui-state:"}
)
_BESIDE: Final = {"error": "errorText", "custom": "kind", "data-": "data", **dict.fromkeys(_KINDS, "value")}
"""Types that are of this dialect only beside this key."""
_KEYS_AROUND: Final = frozenset(
    {
        "type", "messageId", "messageMetadata", "finishReason", "reason", "url", "mediaType", "filename",
        "providerMetadata",
    }
)  # fmt: skip
_KEYS: Final = frozenset({"type", "id", "delta"})
_KEYS_OF_LINE: Final = frozenset({"type", "value"})
_MOST_PARTS: Final = 1_000
"""Parts of text whose beginnings are kept."""
_TEXTS_OF_LINES: Final = {"0:": "text-delta", "g:": "reasoning-delta"}
_CONTEXTS: Final = {
    "datapoints": "data_points", "sources": "data_points", "citations": "citations", "thoughts": "thoughts",
    "steps": "thoughts", "followupquestions": "followup_questions", "followups": "followup_questions",
    "suggestions": "followup_questions", "suggestedquestions": "followup_questions",
}  # fmt: skip
"""Names of data parts, without their separators, by the equivalent key of a context."""
_SEPARATORS: Final = re.compile(r"[-_\s]")


class UiMessagesReader(FamilyReader):
    """Reads the parts of a message."""

    text_places: ClassVar = "ui-messages"
    own_contexts: ClassVar = frozenset({"citations"})

    def __init__(self, text: AnswerText) -> None:
        super().__init__(text)
        self._calls = ToolCalls()
        self._message = MessageParts(text.came)
        self._has_reasoned = self._has_failed = False
        self._files = self._data_lines = 0
        self._numbers: dict[str, int] = {}
        """The number of each source by its key in citations, from 1 on."""
        self._keys: dict[str, str] = {}
        """The key of each source in citations, by its address and title."""
        self._begun: dict[str, int] = {}
        """The index of each part of text."""
        self._is_new_step = False
        """Whether a step of a data stream ended whose text does not continue in the next."""

    def continues(self, resume: Resume) -> None:
        """The message continues one that was paused."""
        self._calls.continues(calls_of(resume))
        self._message.continues(resume)

    def read(self, value: JsonObject) -> Iterator[Event]:
        """The events of a part."""
        kind = kind_of(value)
        if kind in _KINDS:
            yield from self._line(kind, value.get("value"))
        else:
            yield from self._part(kind, value)
            self._message.read(kind, value)

    def _line(self, kind: str, value: Json) -> Iterator[Event]:
        if kind == "0:" and self._is_new_step:
            self._is_new_step = False
            yield from self.text.piece("\n\n")
        if kind == "3:":
            self._has_failed = True
            yield Failed(error_of(value))
        elif kind in {"2:", "8:"}:
            for item in value if isinstance(value, list) else ():
                self._data_lines += 1
                name, data = "data" if kind == "2:" else "annotation", item
                if isinstance(item, Mapping) and "data" in item and kind_of(item):
                    # LlamaIndex's servers name their annotations as version 5 does.
                    name, data = kind_of(item), item["data"]
                yield from self._data(name, {"id": self._data_lines, "data": data})
        elif kind == "e:":
            self._is_new_step = self.text.has_begun and not (isinstance(value, Mapping) and value.get("isContinued"))
        elif (part := _part_of_line(kind, value)) is not None:
            yield from self._part(str(part["type"]), part)

    def _part(self, kind: str, value: JsonObject) -> Iterator[Event]:
        if kind.startswith("data-"):
            yield from self._data(kind.removeprefix("data-"), value)
        elif kind.startswith("tool-"):
            yield from self._tool(kind, value)
        elif kind == "text-delta":
            yield from self.text.piece(content_text(value.get("delta")))
        elif kind == "text-start":
            if self.text.has_begun:
                yield from self.text.piece("\n\n")
            if len(self._begun) < _MOST_PARTS:
                self._begun[str(value.get("id"))] = self.text.came.length
        elif kind == "text-end":
            yield from self._cited(value)
        elif kind == "reasoning-delta" and (text := content_text(value.get("delta"))):
            self._has_reasoned = True
            yield ReasoningDelta(text)
        elif kind == "reasoning-start" and self._has_reasoned:
            yield ReasoningDelta("\n\n")
        elif kind in {"source-url", "source-document"}:
            yield from self._source(value)
        elif kind == "file" and string_in(value, "mediaType").startswith("image/"):
            yield from self.text.picture(string_in(value, "url"))
        elif kind in {"file", "reasoning-file"}:
            yield from self._file(value)
        elif kind == "abort":
            said = content_text(value.get("reason"))
            stopped = msg("the backend ended the answer early")
            yield CutOff(msg("{problem}: {reason}", problem=stopped, reason=said) if said else stopped)
        else:
            yield from self._around(kind, value)

    def _around(self, kind: str, value: JsonObject) -> Iterator[Event]:
        """The message's metadata and its end."""
        metadata = object_in(value, "messageMetadata")
        if usage := object_in(metadata, "usage") or object_in(metadata, "totalUsage"):
            yield UsageReceived(usage)
        yield from context_found(metadata, "metadata ")
        if kind == "error":
            self._has_failed = True
        elif kind == "finish":
            yield from self._finish(value.get("finishReason"))

    def _finish(self, reason: Json) -> Iterator[Event]:
        if self._has_failed:
            return
        if reason == "error":
            yield Failed(ErrorInfo(NOTHING_SAID))
        elif reason == "interrupted":
            yield CutOff(msg("the backend ended the answer early"))
        elif asked := self._message.interrupts():
            yield from paused(WIRE, asked, self._message.kept())
        elif reason == "tool-calls" and not self._calls.waiting:
            words = msg("the backend ended the answer after its tool calls, perhaps at its step limit")
            yield AnswerWarning("tool_calls", words)
        else:
            self.text.asks_for_tool |= bool(self._calls.waiting)
            yield from self.text.finish(reason)

    def _tool(self, kind: str, value: JsonObject) -> Iterator[Event]:
        if kind == "tool-approval-response":
            return
        key = str(value.get("toolCallId"))
        self._calls.begin(key, value.get("toolName"))
        if kind == "tool-input-delta":
            self._calls.add(key, value.get("inputTextDelta"))
            return
        if "input" in value:
            self._calls.replace(key, value["input"])
        if kind == "tool-output-available":
            output = value.get("output")
            self._calls.end(key, "" if output is None else output)
            yield from context_found(value.get("output"), f"{key} ")
        elif kind in {"tool-output-error", "tool-input-error"}:
            self._calls.end(key, content_text(value.get("errorText")), has_failed=True)
        elif kind == "tool-output-denied":
            self._calls.end(key, msg("The call was denied."), has_failed=True)
        yield from self._calls.steps()

    def _cited(self, value: JsonObject) -> Iterator[Event]:
        """The citations at the end of a part of text, in characters of that part."""
        begun = self._begun.get(str(value.get("id")), self.text.came.length)
        for citation in objects_in(value, "citations"):
            cited = object_in(citation, "source")
            source = {**cited, "sourceId": cited.get("id"), "content": citation.get("citedText")}
            yield from self._source(source)
            start, end = (citation.get(key) for key in ("startIndex", "endIndex"))
            placed = AnnotatedCitation(
                self._key_of(source),
                begun + start if type(start) is int else None,
                begun + end if type(end) is int else self.text.came.length,
            )
            yield from self.text.cite([placed])

    def _source(self, value: JsonObject) -> Iterator[Event]:
        """A source; if its own id is not a number, citations may also use its place among the sources."""
        key, content = self._key_of(value), value.get("content")
        if not key or (key in self._numbers and not content) or len(self._numbers) >= MAX_DATA_POINTS:
            return
        number = self._numbers.setdefault(key, len(self._numbers) + 1)
        file, url = string_in(value, "filename"), value.get("url")
        names = [name for name in ("" if key.isdigit() else str(number), file) if name]
        source: dict[str, Json] = {
            "title": value.get("title") or file or url or key, "content": content or "", "names": names,
        }  # fmt: skip
        yield ContextReceived({SOURCES: {key: {**source, **({"url": url} if url else {})}}})

    def _key_of(self, source: JsonObject) -> str:
        """The key of a source in citations, by its address and title, since some providers repeat it under new ids."""
        key = string_in(source, "sourceId", "url", "filename", "title")
        place = source.get("url"), source.get("title")
        if isinstance(place[0], str) and len(self._keys) < MAX_DATA_POINTS:
            return self._keys.setdefault(str(place), key)
        return key

    def _data(self, name: str, value: JsonObject) -> Iterator[Event]:
        data = value.get("data")
        key = _CONTEXTS.get(_SEPARATORS.sub("", name).lower())
        events = list(context_found(data, f"{name} {value.get('id', '')} "))
        has_context = isinstance(data, Mapping) and not CONTEXT_KEYS.isdisjoint(data)
        if key is not None and not (events and key == "data_points") and not has_context:
            yield ContextReceived({key: data})
            return
        yield from events
        if not events:
            step: JsonObject = {"title": name, "description": data}
            yield ContextReceived({STEPS: {f"data {name} {value.get('id', '')}": step}})

    def _file(self, value: JsonObject) -> Iterator[Event]:
        self._files += 1
        name, url, media_type = (string_in(value, key) for key in ("filename", "url", "mediaType"))
        is_image = media_type.startswith("image/")
        shown: JsonObject = {"url": url, "detail": "auto"} if is_image else {"url": url, "title": name or media_type}
        if url:
            yield ContextReceived({SOURCES: {name or f"file{self._files}": shown}})

    def plain_text(self, value: dict[str, Any]) -> str | None:
        """The text of a part that is only a piece of text."""
        kind = value.get("type")
        if kind == "0:" and not self._is_new_step:
            return only_text(value, "value", _KEYS_OF_LINE)
        return only_text(value, "delta", _KEYS) if kind == "text-delta" else None


def _part_of_line(kind: str, value: Json) -> JsonObject | None:
    """The version 5 part that is equivalent to a line of a data stream; None for a meaningless line."""
    if kind in _TEXTS_OF_LINES:
        return {"type": _TEXTS_OF_LINES[kind], "delta": value}
    if not isinstance(value, Mapping):
        return None
    match kind:
        case "aui-text-delta:":
            return {"type": "text-delta", "delta": value.get("textDelta")}
        case "aui-reasoning-delta:":
            return {"type": "reasoning-delta", "delta": value.get("reasoningDelta")}
        case "4:":
            return {"type": "text-delta", "delta": message_text(value)}
        case "6:":
            return {"type": "data-message", "data": value.get("data")}
        case "9:":
            return {**value, "type": "tool-input-available", "input": value.get("args")}
        case "a:":
            return {**value, "type": "tool-output-available", "output": value.get("result")}
        case "b:":
            return {**value, "type": "tool-input-start"}
        case "c:":
            return {**value, "type": "tool-input-delta", "inputTextDelta": value.get("argsTextDelta")}
        case "d:":
            return {**value, "type": "finish", "messageMetadata": {"usage": value.get("usage")}}
        case "h:":
            return {**value, "type": "source-url", "sourceId": value.get("id")}
        case "k:":
            media_type = value.get("mimeType")
            url = f"data:{media_type};base64,{value.get('data')}"
            return {"type": "file", "mediaType": media_type, "url": url}
    return None


def _match(_present: JsonObject, value: JsonObject) -> Match | None:
    kind = kind_of(value)
    is_part = (
        kind in _TYPES
        or (kind in _USUAL_TYPES and _KEYS_AROUND.issuperset(value))
        or _BESIDE.get("data-" if kind.startswith("data-") else kind) in value
    )
    return Match("ai-sdk", 95) if is_part else None


def _is_over(value: JsonObject) -> bool:
    """Whether a message ended, or the last step of a data stream: some Python backends send no more."""
    kind = kind_of(value)
    is_last = kind == "e:" and object_in(value, "value").get("finishReason") not in ("tool-calls", None)
    return is_last or kind in ("finish", "abort", "d:", "3:")


def _has_end(value: JsonObject, _event: str | None) -> bool:
    """Whether a stream has an end: data streams of libraries other than the SDK lack one."""
    return kind_of(value) == "f:" or kind_of(value) not in _KINDS


def _ui_message(message: Message, place: int) -> JsonObject:
    parts: list[Json] = [{"type": "text", "text": message.content}] if message.content else []
    files: list[Json] = [
        {"type": "file", "mediaType": file.media_type, "filename": file.name, "url": file.data_uri}
        for file in message.files
    ]
    return {"id": f"message-{place + 1}", "role": message.role, "parts": [*files, *parts]}


def _body(backend: Backend, request: ChatRequest, messages: list[Json]) -> dict[str, Json]:
    body: dict[str, Json] = {"id": request.conversation, "messages": messages, "trigger": "submit-message"}
    if request.resume is not None:
        answered = message_of(request.resume)
        body = {**body, "messages": [*messages, answered], "messageId": answered["id"]}
    return {**body, **request.overrides, **({"model": backend.model} if backend.model else {})}


def _message_of_4(message: Message, _: int) -> JsonObject:
    files: list[Json] = [
        {"name": file.name, "contentType": file.media_type, "url": file.data_uri} for file in message.files
    ]
    attached: JsonObject = {"experimental_attachments": files} if files else {}
    return {"role": message.role, "content": message.content, **attached}


def _asked_in(form: RequestFormat) -> Backend:
    return Backend("", streaming="server", request_format=form, files="parts", file_types=("",), known_overrides=())


_BACKENDS: Final = {
    "ai-sdk": KnownBackend(
        "/api/chat",
        _asked_in(RequestFormat(_ui_message, _body)),
        wants="parts|uimessages?|submit-message|trigger",
        guessed_at=re.compile(r"/api/chat\Z"),
    ),
    "ai-sdk-4": KnownBackend(
        "/api/chat",
        _asked_in(RequestFormat(_message_of_4, _body)),
        # LlamaIndex's servers refuse a question without the id that useChat sends.
        wants=r"(?:(?<=body[./])|(?<![-_./\]])(?:(?<!\w )|(?<=field )|(?<=key )|(?<=property )|(?<=parameter )))id",
    ),
}


def _known(answered: Answered) -> str:
    """The backend by the type of its body: lines are sent as text, and events are not."""
    is_data_stream = answered.headers.get("content-type", "").startswith("text/plain")
    return "ai-sdk-4" if is_data_stream or "x-vercel-ai-data-stream" in answered.headers else "ai-sdk"


FAMILY: Final = Family(
    dialects=(Dialect("ai-sdk", msg("Vercel AI SDK"), End("finish", _is_over, is_due=_has_end)),),
    match=_match,
    reader=UiMessagesReader,
    position=8,
    backends=_BACKENDS,
    known=_known,
    standard=lambda _dialect, _known_backend, lines: standard_of(lines),
)
