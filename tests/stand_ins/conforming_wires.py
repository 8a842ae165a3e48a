"""Backends that conform to wires other than the AI Chat Protocol, except in a test's changes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from tests.stand_ins.lookalikes import JSON, SSE, Rule
from tests.stand_ins.stand_in import Received, Reply

Object = dict[str, Any]
TEXT = "One pair [1]."
UI_STREAM = "x-vercel-ai-ui-message-stream"


def numbered(*events: Object) -> tuple[Object, ...]:
    """The events with their sequence numbers."""
    return tuple({**event, "sequence_number": number} for number, event in enumerate(events))


@dataclass(frozen=True)
class Spoken:
    """A backend's stream or single answer, and its reply to an invalid body."""

    path: str
    events: tuple[Object, ...]
    are_named: bool = False
    done: bytes = b""
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: SSE)
    complete: Object | None = None
    whole_headers: Mapping[str, str] = field(default_factory=lambda: JSON)
    refusal: Object = field(default_factory=dict)
    refusal_status: int = 400
    wants: str = "messages"

    def changed(self, place: int, **keys: Any) -> Spoken:
        """The same with other values of one event. The value `...` removes a key."""
        event = {key: value for key, value in {**self.events[place], **keys}.items() if value is not ...}
        return replace(self, events=(*self.events[:place], event, *self.events[place + 1 :]))

    def without(self, *places: int) -> Spoken:
        return replace(self, events=self._numbered(one for at, one in enumerate(self.events) if at not in places))

    def with_event(self, place: int, **event: Any) -> Spoken:
        return replace(self, events=self._numbered((*self.events[:place], event, *self.events[place:])))

    def _numbered(self, events: Iterable[Object]) -> tuple[Object, ...]:
        return numbered(*events) if "sequence_number" in self.events[0] else tuple(events)

    def place(self, kind: str) -> int:
        """The index of the first event of a type."""
        return next(place for place, event in enumerate(self.events) if event.get("type") == kind)

    @property
    def body(self) -> bytes:
        if self.headers.get("Content-Type") == JSON["Content-Type"]:
            return json.dumps(self.events[0]).encode()
        written = [f"data: {json.dumps(event)}\n\n" for event in self.events]
        if self.are_named:
            written = [f"event: {event['type']}\n{one}" for event, one in zip(self.events, written, strict=True)]
        return "".join(written).encode() + (b"data: " + self.done + b"\n\n" if self.done else b"")

    def rule(self) -> Rule:
        def reply(request: Received) -> Reply:
            if request.method != "POST" or request.path.partition("?")[0] != self.path:
                return Reply([b'{"detail": "Not Found"}'], 404, JSON)
            try:
                body = json.loads(request.body)
            except ValueError:
                body = {}
            if not body.get(self.wants):
                return Reply([json.dumps(self.refusal).encode()], self.refusal_status, JSON)
            if self.complete is not None and body.get("stream") is not True:
                return Reply([json.dumps(self.complete).encode()], headers=self.whole_headers)
            spoken = self
            if "threadId" in body:
                spoken = replace(self, events=tuple(_echoing(event, body) for event in self.events))
            return Reply([spoken.body], self.status, self.headers)

        return reply


def _echoing(event: Object, body: Object) -> Object:
    return {**event, **{key: body[key] for key in ("threadId", "runId") if key in event}}


_OPENAI_REFUSAL = {"error": {"message": "Missing required parameter.", "type": "invalid_request_error", "code": None}}
_PART = {"item_id": "msg_1", "output_index": 0, "content_index": 0}
_CITATION = {"type": "url_citation", "start_index": 9, "end_index": 12, "url": "http://a.example/", "title": "A"}
_CONTENT = {"type": "output_text", "text": TEXT, "annotations": [_CITATION]}
_OUTPUT = [
    {
        "type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
        "content": [_CONTENT],
    }
]  # fmt: skip
_USAGE = {"input_tokens": 3, "output_tokens": 4, "total_tokens": 7}
_RESPONSE: Object = {"id": "resp_1", "object": "response", "status": "completed", "output": _OUTPUT, "usage": _USAGE}


RESPONSES = Spoken(
    "/v1/responses",
    numbered(
        {"type": "response.created", "response": {**_RESPONSE, "status": "in_progress", "output": [], "usage": None}},
        {"type": "response.output_item.added", "output_index": 0, "item": {**_OUTPUT[0], "content": []}},
        {"type": "response.content_part.added", **_PART, "part": {"type": "output_text", "text": ""}},
        {"type": "response.output_text.delta", **_PART, "delta": "One pair"},
        {"type": "response.output_text.delta", **_PART, "delta": " [1]."},
        {"type": "response.output_text.annotation.added", **_PART, "annotation_index": 0, "annotation": _CITATION},
        {"type": "response.output_text.done", **_PART, "text": TEXT},
        {"type": "response.content_part.done", **_PART, "part": _CONTENT},
        {"type": "response.output_item.done", "output_index": 0, "item": _OUTPUT[0]},
        {"type": "response.completed", "response": _RESPONSE},
    ),
    are_named=True,
    complete=_RESPONSE,
    refusal=_OPENAI_REFUSAL,
    wants="input",
)


def _chunk(delta: Object, reason: str | None = None, **more: Any) -> Object:
    return {
        "id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1, "model": "small-1",
        "choices": [{"index": 0, "delta": delta, "finish_reason": reason}], **more,
    }  # fmt: skip


_COMPLETION_USAGE = {"prompt_tokens": 3, "completion_tokens": 4, "total_tokens": 7}
COMPLETIONS = Spoken(
    "/v1/chat/completions",
    (
        _chunk({"role": "assistant", "content": ""}),
        _chunk({"content": TEXT}),
        _chunk({}, "stop"),
        _chunk({}, choices=[], usage=_COMPLETION_USAGE),
    ),
    done=b"[DONE]",
    complete={
        "id": "chatcmpl-2", "object": "chat.completion", "created": 1, "model": "small-1", "usage": _COMPLETION_USAGE,
        "choices": [{"index": 0, "message": {"role": "assistant", "content": TEXT}, "finish_reason": "stop"}],
    },
    refusal=_OPENAI_REFUSAL,
)  # fmt: skip

AI_SDK = Spoken(
    "/api/chat",
    (
        {"type": "start", "messageId": "m-1"},
        {"type": "start-step"},
        {"type": "reasoning-start", "id": "r-1"},
        {"type": "reasoning-delta", "id": "r-1", "delta": "Look it up."},
        {"type": "reasoning-end", "id": "r-1"},
        {"type": "tool-input-start", "toolCallId": "c-1", "toolName": "search"},
        {"type": "tool-input-delta", "toolCallId": "c-1", "inputTextDelta": '{"q": "glasses"}'},
        {"type": "tool-input-available", "toolCallId": "c-1", "toolName": "search", "input": {"q": "glasses"}},
        {"type": "tool-output-available", "toolCallId": "c-1", "output": "One pair."},
        {"type": "finish-step"},
        {"type": "start-step"},
        {"type": "source-url", "sourceId": "s-1", "url": "http://a.example/", "title": "A"},
        {"type": "data-status", "data": {"done": True}},
        {"type": "text-start", "id": "t-1"},
        {"type": "text-delta", "id": "t-1", "delta": TEXT},
        {"type": "text-end", "id": "t-1"},
        {"type": "finish-step"},
        {"type": "finish", "finishReason": "stop"},
    ),
    done=b"[DONE]",
    headers={**SSE, UI_STREAM: "v1"},
)

DATA_STREAM_LINES = (
    b'f:{"messageId": "m-1"}\n'
    b'b:{"toolCallId": "c-1", "toolName": "search"}\n'
    b'c:{"toolCallId": "c-1", "argsTextDelta": "{}"}\n'
    b'9:{"toolCallId": "c-1", "toolName": "search", "args": {}}\n'
    b'a:{"toolCallId": "c-1", "result": "One pair."}\n'
    b'0:"One pair [1]."\n'
    b'h:{"sourceType": "url", "id": "s-1", "url": "http://a.example/"}\n'
    b'e:{"finishReason": "stop"}\n'
    b'd:{"finishReason": "stop"}\n'
    b'8:[{"rated": true}]\n'
)
"""The data stream of the AI SDK's version 4."""

AG_UI = Spoken(
    "/ag-ui",
    (
        {"type": "RUN_STARTED", "threadId": "t-1", "runId": "r-1"},
        {"type": "STEP_STARTED", "stepName": "search"},
        {"type": "REASONING_START", "messageId": "m-0"},
        {"type": "REASONING_MESSAGE_START", "messageId": "m-0", "role": "reasoning"},
        {"type": "REASONING_MESSAGE_CONTENT", "messageId": "m-0", "delta": "Look it up."},
        {"type": "REASONING_MESSAGE_END", "messageId": "m-0"},
        {"type": "REASONING_END", "messageId": "m-0"},
        {"type": "TOOL_CALL_START", "toolCallId": "c-1", "toolCallName": "search"},
        {"type": "TOOL_CALL_ARGS", "toolCallId": "c-1", "delta": '{"q": "glasses"}'},
        {"type": "TOOL_CALL_END", "toolCallId": "c-1"},
        {"type": "TOOL_CALL_RESULT", "messageId": "m-1", "toolCallId": "c-1", "content": "One pair."},
        {"type": "STATE_DELTA", "delta": [{"op": "add", "path": "/found", "value": 1}]},
        {"type": "STEP_FINISHED", "stepName": "search"},
        {"type": "TEXT_MESSAGE_START", "messageId": "m-2", "role": "assistant"},
        {"type": "TEXT_MESSAGE_CONTENT", "messageId": "m-2", "delta": TEXT},
        {"type": "TEXT_MESSAGE_END", "messageId": "m-2"},
        {"type": "RUN_FINISHED", "threadId": "t-1", "runId": "r-1"},
    ),
    refusal={"detail": [{"loc": ["body", "threadId"], "msg": "Field required"}]},
    refusal_status=422,
)

KNOWLEDGE_BASE = Spoken(
    "/knowledgebases/plans/retrieve",
    (
        {
            "response": [{"role": "assistant", "content": [{"type": "text", "text": "One pair [ref_id:0]."}]}],
            "activity": [{"type": "searchIndex", "id": 1, "knowledgeSourceName": "plans", "elapsedMs": 5}],
            "references": [{"type": "searchIndex", "id": "0", "activitySource": 1, "docKey": "glasses.pdf"}],
        },
    ),
    headers=JSON,
    refusal={"error": {"code": "InvalidRequest", "message": "There are no messages."}},
)

CONFORMING = {
    "openai-responses": RESPONSES,
    "openai-compatible": COMPLETIONS,
    "ai-sdk": AI_SDK,
    "ag-ui": AG_UI,
    "azure-knowledge-base": KNOWLEDGE_BASE,
}
"""By the name of the known backend."""
