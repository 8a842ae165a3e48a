"""The UI message stream of the Vercel AI SDK, since version 5."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from mimetypes import guess_type
from typing import ClassVar

from chat_ui.demo.chat_request import BadRequestError, ChatRequest, parse_request
from chat_ui.demo.wires.wire import Wire
from chat_ui.protocol.events import JsonObject

_CALL: JsonObject = {"toolCallId": "call-1", "toolName": "searchDocuments"}


class UiMessages(Wire):
    """The parts of a message; citations are the names of sources in brackets."""

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
    def refusal(code: str, message: str) -> JsonObject:  # noqa: ARG004 - there is no place for a code
        return {"error": message}

    def opening(self) -> Iterator[JsonObject]:
        reply = self.reply
        yield {"type": "start", "messageId": "message-demo"}
        yield {"type": "start-step"}
        yield {"type": "reasoning-start", "id": "reasoning-1"}
        yield {"type": "reasoning-delta", "id": "reasoning-1", "delta": reply.thinking}
        yield {"type": "reasoning-end", "id": "reasoning-1"}
        yield {"type": "tool-input-start", **_CALL}
        yield {"type": "tool-input-available", **_CALL, "input": {"query": reply.query, "top": reply.chat.top}}
        yield {"type": "tool-output-available", "toolCallId": _CALL["toolCallId"], "output": reply.results}
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
