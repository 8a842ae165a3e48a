"""Event streams of agents: AG-UI, and the UI message stream of the Vercel AI SDK since version 5.

Citations are the names of sources in brackets.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from mimetypes import guess_type
from typing import ClassVar

from chat_ui.features.demo.chat_request import ChatRequest, parse_request
from chat_ui.features.demo.dialects.dialect import MODEL, Dialect, json_of
from chat_ui.features.demo.errors import BadRequestError
from chat_ui.protocol.events import Json, JsonObject

_REQUIRED = ("threadId", "runId", "messages", "tools", "context", "forwardedProps")
_CALL: JsonObject = {"toolCallId": "call-1"}
_MESSAGE: JsonObject = {"messageId": "message-1"}
_REASONING: JsonObject = {"messageId": "reasoning-1"}
_SEARCH: JsonObject = {"toolCallId": "call-1", "toolName": "searchDocuments"}


class AgUi(Dialect):
    """The events of a run; the sources are the result of a tool."""

    @staticmethod
    def read(value: object) -> ChatRequest:
        held = value if isinstance(value, Mapping) else {}
        missing: list[Json] = [
            {"type": "missing", "loc": ["body", key], "msg": "Field required"} for key in _REQUIRED if key not in held
        ]
        if missing:
            raise BadRequestError("The body is not a RunAgentInput.", 422, body={"detail": missing})
        return parse_request({"messages": held["messages"], "context": held["forwardedProps"]})

    @staticmethod
    def refusal(code: str, message: str) -> JsonObject:  # noqa: ARG004 - FastAPI gives words alone
        return {"detail": message}

    def opening(self) -> Iterator[JsonObject]:
        reply = self.reply
        yield {"type": "RUN_STARTED", **self._run}
        yield {"type": "STATE_SNAPSHOT", "snapshot": {"query": reply.query, "passages_found": len(reply.hits)}}
        yield {"type": "STEP_STARTED", "stepName": "search"}
        yield {"type": "TOOL_CALL_START", **_CALL, "toolCallName": "search_documents"}
        arguments = json_of({"query": reply.query, "top": reply.chat.top}).decode()
        yield {"type": "TOOL_CALL_ARGS", **_CALL, "delta": arguments}
        yield {"type": "TOOL_CALL_END", **_CALL}
        content = json_of(reply.results).decode()
        yield {"type": "TOOL_CALL_RESULT", "messageId": "result-1", **_CALL, "content": content, "role": "tool"}
        yield {"type": "STEP_FINISHED", "stepName": "search"}
        yield {"type": "CUSTOM", "name": "thoughts", "value": {"thoughts": reply.context["thoughts"]}}
        yield {"type": "STEP_STARTED", "stepName": "answer"}
        yield {"type": "REASONING_START", **_REASONING}
        yield {"type": "REASONING_MESSAGE_START", **_REASONING, "role": "reasoning"}
        yield {"type": "REASONING_MESSAGE_CONTENT", **_REASONING, "delta": reply.thinking}
        yield {"type": "REASONING_MESSAGE_END", **_REASONING}
        yield {"type": "REASONING_END", **_REASONING}
        yield {"type": "TEXT_MESSAGE_START", **_MESSAGE, "role": "assistant"}

    def text(self, piece: str) -> Iterator[JsonObject]:
        yield {"type": "TEXT_MESSAGE_CONTENT", **_MESSAGE, "delta": piece}

    def closing(self) -> Iterator[JsonObject]:
        yield {"type": "TEXT_MESSAGE_END", **_MESSAGE}
        cited: list[Json] = [hit.passage.id for hit in self.reply.hits if f"[{hit.passage.id}]" in self.said]
        yield {"type": "STATE_DELTA", "delta": [{"op": "add", "path": "/cited", "value": cited}]}
        if self.reply.followups:
            value: JsonObject = {"followup_questions": self.reply.followups}
            yield {"type": "CUSTOM", "name": "followup_questions", "value": value}
        yield {"type": "STEP_FINISHED", "stepName": "answer"}
        asked, answered = self.tokens()
        usage: JsonObject = {"model": MODEL, "inputTokens": asked, "outputTokens": answered}
        yield {"type": "RUN_FINISHED", **self._run, "usage": [{**usage, "totalTokens": asked + answered}]}

    def failure(self, code: str, message: str) -> Iterator[JsonObject]:
        yield {"type": "RUN_ERROR", "message": message, "code": code}

    @property
    def _run(self) -> JsonObject:
        return {key: self.reply.chat.body[key] for key in ("threadId", "runId")}


class UiMessages(Dialect):
    headers: ClassVar = {"x-vercel-ai-ui-message-stream": "v1"}
    end: ClassVar = b"data: [DONE]\n\n"

    @staticmethod
    def read(value: object) -> ChatRequest:
        messages = value.get("messages") if isinstance(value, Mapping) else None
        if not isinstance(value, Mapping) or not isinstance(messages, list):
            return parse_request(value)
        for number, message in enumerate(messages):
            if not isinstance(message, Mapping) or not isinstance(message.get("parts"), list):
                raise BadRequestError(f"messages[{number}] must be a message with “parts”, as useChat sends it.")
        return parse_request({**value, "messages": [{**message, "content": message["parts"]} for message in messages]})

    @staticmethod
    def refusal(code: str, message: str) -> JsonObject:  # noqa: ARG004 - the protocol lacks a code
        return {"error": message}

    def opening(self) -> Iterator[JsonObject]:
        reply = self.reply
        yield {"type": "start", "messageId": "message-demo"}
        yield {"type": "start-step"}
        yield {"type": "reasoning-start", "id": "reasoning-1"}
        yield {"type": "reasoning-delta", "id": "reasoning-1", "delta": reply.thinking}
        yield {"type": "reasoning-end", "id": "reasoning-1"}
        yield {"type": "tool-input-start", **_SEARCH}
        yield {"type": "tool-input-available", **_SEARCH, "input": {"query": reply.query, "top": reply.chat.top}}
        yield {"type": "tool-output-available", "toolCallId": _SEARCH["toolCallId"], "output": reply.results}
        yield {"type": "finish-step"}
        yield {"type": "start-step"}
        for hit in reply.hits:
            yield {
                "type": "source-document",
                "sourceId": hit.passage.id,
                "mediaType": guess_type(hit.passage.document)[0] or "text/plain",
                "title": hit.passage.title,
                "filename": hit.passage.document,
            }
        yield {"type": "data-thoughts", "data": reply.context["thoughts"]}
        yield {"type": "text-start", "id": "text-1"}

    def text(self, piece: str) -> Iterator[JsonObject]:
        yield {"type": "text-delta", "id": "text-1", "delta": piece}

    def closing(self) -> Iterator[JsonObject]:
        yield {"type": "text-end", "id": "text-1"}
        if self.reply.followups:
            yield {"type": "data-followup-questions", "data": self.reply.followups}
        yield {"type": "finish-step"}
        asked, answered = self.tokens()
        usage: JsonObject = {"inputTokens": asked, "outputTokens": answered, "totalTokens": asked + answered}
        yield {"type": "finish", "finishReason": "stop", "messageMetadata": {"usage": usage}}

    def failure(self, code: str, message: str) -> Iterator[JsonObject]:
        if code == "content_filter":
            yield {"type": "text-end", "id": "text-1"}
            yield {"type": "finish-step"}
            yield {"type": "finish", "finishReason": "content-filter"}
        else:
            yield {"type": "error", "errorText": message}
