"""A2A, the protocol between agents: messages, tasks and artifacts as JSON-RPC, of versions 1.0 and 0.3.

Source: the protocol's specification 1.0, "JSON-RPC Protocol Binding" and "Agent Discovery". Only text is sent. A task
that asks for input ends the answer, and the next question continues it.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import ClassVar, Final
from uuid import uuid4

from chat_ui.protocol.answers.data_points import SOURCES
from chat_ui.protocol.backends.backend import Backend, ChatRequest, Message, RequestFormat
from chat_ui.protocol.dialects.answer_text import AnswerText
from chat_ui.protocol.dialects.contexts import context_found
from chat_ui.protocol.dialects.family import Dialect, End, Family, FamilyReader, KnownBackend, Match
from chat_ui.protocol.dialects.objects import object_in, objects_in, present, string_in
from chat_ui.protocol.dialects.reported_errors import plain_words
from chat_ui.protocol.events import (
    A2A_CONTEXT,
    ContextReceived,
    ErrorInfo,
    Event,
    Failed,
    Json,
    JsonObject,
    ReasoningDelta,
    SessionState,
)
from chat_ui.protocol.translatable import msg

_CARD: Final = "/.well-known/agent-card.json"
_KINDS: Final = ("message", "task", "statusUpdate", "artifactUpdate")
_WAITS: Final = "input-required"
_UNFINISHED: Final = frozenset({"failed", "rejected", "canceled", "auth-required"})
"""States that end a stream without an answer."""
_OVER: Final = _UNFINISHED | {"completed", _WAITS}


def _update(value: JsonObject) -> tuple[str, JsonObject]:
    """The kind of a result, and the object; version 0.3 has the kind in the object: `artifact-update`."""
    result = object_in(value, "result")
    for kind in _KINDS:
        if kind in result:
            return kind, object_in(result, kind)
    kind = string_in(result, "kind").replace("-u", "U")
    return (kind if kind in _KINDS else ""), result


def _state(update: JsonObject) -> str:
    """The state of a task in the spelling of version 0.3, such as `input-required`."""
    state = string_in(object_in(update, "status"), "state")
    return state.removeprefix("TASK_STATE_").lower().replace("_", "-")


def _text(message: JsonObject) -> str:
    return "".join(string_in(part, "text") for part in objects_in(message, "parts"))


class A2aReader(FamilyReader):
    """Reads a message, or a task and its updates. Sources count from 1, in their order."""

    text_places: ClassVar = "a2a"

    def __init__(self, text: AnswerText) -> None:
        super().__init__(text)
        self._artifacts: dict[str, str] = {}
        self._parts: set[str] = set()
        self._sources = 0
        self._session: Json = None

    def read(self, value: JsonObject) -> Iterator[Event]:
        """The events of a result."""
        kind, update = _update(value)
        state, message = _state(update), object_in(object_in(update, "status"), "message")
        task = string_in(update, "taskId", "id") if state == _WAITS else ""
        session = present({A2A_CONTEXT: string_in(update, A2A_CONTEXT), "taskId": task})
        if A2A_CONTEXT in session and session != self._session:
            self._session = session
            yield SessionState(A2A_CONTEXT, session)
        if kind == "artifactUpdate":
            yield from self._artifact(object_in(update, "artifact"), is_more=update.get("append") is True)
        elif kind == "message":
            yield from self._apart(update)
        elif state in _OVER:
            for artifact in objects_in(update, "artifacts"):
                yield from self._artifact(artifact)
            if state in _UNFINISHED:
                words = plain_words(_text(message)) or msg(
                    "The agent ended its task as {state}, without a message.", state=state
                )
                yield Failed(ErrorInfo(words, code=state))
            else:
                yield from self._apart(message)
        elif progress := _text(message):
            yield ReasoningDelta(f"{progress}\n\n")

    def _artifact(self, artifact: JsonObject, *, is_more: bool = False) -> Iterator[Event]:
        """The events of an artifact, or of more of it. A whole task repeats the artifacts that came."""
        key, text = string_in(artifact, "artifactId"), _text(artifact)
        before = self._artifacts.get(key, "")
        complete = before + text if is_more else text
        if not is_more and before and text.startswith(before):
            text, is_more = text[len(before) :], True
        yield from self.text.piece(text) if is_more else self._apart(artifact)
        self._artifacts[key] = complete
        yield from self._cited(artifact)

    def _apart(self, message: JsonObject) -> Iterator[Event]:
        """The text of a message as a paragraph, unless an artifact has the same, and its sources."""
        text = _text(message)
        if text.strip() and text.strip() not in map(str.strip, self._artifacts.values()):
            yield from self.text.piece(f"\n\n{text}" if self.text.has_begun else text)
        yield from self._cited(message)

    def _cited(self, parts: JsonObject) -> Iterator[Event]:
        for part in objects_in(parts, "parts"):
            if (said := repr(part)) in self._parts or "text" in part:
                continue
            self._parts.add(said)
            for event in _source_events(part, f"{string_in(parts, 'name') or 'data'} {self._sources + 1}"):
                if isinstance(event, ContextReceived) and isinstance(found := event.context.get(SOURCES), Mapping):
                    yield ContextReceived({SOURCES: {key: self._numbered(one) for key, one in found.items()}})
                else:
                    yield event

    def _numbered(self, source: Json) -> Json:
        if not isinstance(source, Mapping) or "detail" in source:
            return source
        self._sources += 1
        return {**source, "names": [str(self._sources)]}


def _source_events(part: JsonObject, name: str) -> Iterator[Event]:
    """The source in a part of data, or of a file: by its address, or by its bytes."""
    if (data := part.get("data")) is not None:
        content = json.dumps(data, ensure_ascii=False)
        yield from [*context_found(data, name)] or [ContextReceived({SOURCES: {name: {"content": content}}})]
        return
    file = object_in(part, "file") or part
    url, kind = string_in(file, "url", "uri"), string_in(file, "mediaType", "mimeType")
    title, raw = string_in(file, "filename", "name") or url or name, string_in(file, "raw", "bytes")
    source: dict[str, Json] = {"id": title, "title": title, **present({"url": url})}
    if raw and kind.startswith("image/"):
        source = {"url": f"data:{kind};base64,{raw}", "detail": "auto"}
    elif raw and kind.startswith("text/"):
        try:
            source["content"] = base64.b64decode(raw).decode("utf-8", "replace")
        except ValueError:
            return
    yield ContextReceived({SOURCES: {url or title: source}})


def _match(present: JsonObject, value: JsonObject) -> Match | None:
    return Match("a2a", 96) if "jsonrpc" in present and _update(value)[0] else None


def _message(message: Message, _place: int) -> JsonObject:
    return {"messageId": str(uuid4()), "role": "ROLE_USER", "parts": [{"text": message.content}]}


def _old_message(message: Message, place: int) -> JsonObject:
    parts: list[Json] = [{"kind": "text", "text": message.content}]
    return {**_message(message, place), "kind": "message", "role": "user", "parts": parts}


def _asking(streamed: str, complete: str) -> Callable[[Backend, ChatRequest, list[Json]], dict[str, Json]]:
    """The body of a question by the method of a stream or of a complete answer."""

    def body(backend: Backend, request: ChatRequest, messages: list[Json]) -> dict[str, Json]:
        state, message = request.session_state, messages[-1] if messages else {}
        known = state.value if state is not None and state.key == A2A_CONTEXT else {}
        sent = {**message, **known} if isinstance(message, Mapping) and isinstance(known, Mapping) else message
        method = streamed if backend.stream else complete
        return {"jsonrpc": "2.0", "id": "1", "method": method, "params": {"message": sent}}

    return body


_REFUSED: Final = re.compile("method not found|not supported", re.IGNORECASE)
_LOST: Final = re.compile(r"\btask\b.*(?:not found|terminal state)", re.IGNORECASE)
"""The words about a task that is over or unknown, as after another answer to the agent's question."""
_VERSION: Final = {"A2A-Version": "1.0"}
_OLD_COMPLETE: Final = RequestFormat(_old_message, _asking("message/send", "message/send"), lost=_LOST)
_OLD: Final = RequestFormat(
    _old_message, _asking("message/stream", "message/send"), _OLD_COMPLETE, _REFUSED, lost=_LOST
)
_COMPLETE: Final = RequestFormat(
    _message, _asking("SendMessage", "SendMessage"), _OLD, _REFUSED, headers=_VERSION, lost=_LOST
)
_FORM: Final = replace(_COMPLETE, body=_asking("SendStreamingMessage", "SendMessage"), otherwise=_COMPLETE)
_BACKEND: Final = KnownBackend(
    "/a2a",
    Backend("", streaming="server", history="last", overrides="none", known_overrides=(), request_format=_FORM),
    path_part="/a2a/",
)


def _described(card: JsonObject) -> Backend | None:
    """The backend of an agent card; None without JSON-RPC."""
    streams = object_in(card, "capabilities").get("streaming") is True
    for interface in objects_in(card, "supportedInterfaces"):
        if string_in(interface, "protocolBinding") == "JSONRPC" and (url := string_in(interface, "url")):
            return _BACKEND.at(url, request_format=_FORM if streams else _COMPLETE)
    if (url := string_in(card, "url")) and card.get("preferredTransport", "JSONRPC") == "JSONRPC":
        return _BACKEND.at(url, request_format=_OLD if streams else _OLD_COMPLETE)
    return None


_END: Final = End(
    "a final status",
    lambda value: _update(value)[0] == "message" or _state(_update(value)[1]) in _OVER,
    is_due=lambda value, _event: _update(value)[0] != "",
)

FAMILY: Final = Family(
    dialects=(Dialect("a2a", "A2A", _END),),
    match=_match,
    reader=A2aReader,
    position=11,
    endings={"/a2a": _BACKEND.template},
    backends={"a2a": _BACKEND},
    known=lambda _: "a2a",
    cards={_CARD: _described},
)
