"""The AI Chat Protocol in its four dialects: lines of JSON."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import ClassVar

from chat_ui.demo.wires.wire import MODEL, Wire, json_of
from chat_ui.protocol.events import JsonObject


class _Lines(Wire):
    stream_type: ClassVar = "application/json-lines"

    @staticmethod
    def frame(value: JsonObject) -> bytes:
        return json_of(value) + b"\n"

    @staticmethod
    def refusal(code: str, message: str) -> JsonObject:  # noqa: ARG004 - these dialects have no code
        return {"error": message}

    @property
    def _context(self) -> JsonObject:
        return {**self.reply.context, **self.reply.closing}


class Choices(_Lines):
    """Dialect A, 2024-01-28: OpenAI's chunks, with the context beside the delta."""

    def opening(self) -> Iterator[JsonObject]:
        yield {"choices": [_context_choice(self.reply.context)], "object": "chat.completion.chunk"}

    def text(self, piece: str) -> Iterator[JsonObject]:
        delta: JsonObject = {"content": piece, "function_call": None, "role": None, "tool_calls": None}
        choice: JsonObject = {"delta": delta, "finish_reason": None, "index": 0, "logprobs": None}
        yield _completion("chat.completion.chunk", choice)

    def closing(self) -> Iterator[JsonObject]:
        choice = {**_context_choice(self.reply.closing), "session_state": self.reply.session_state}
        yield {"choices": [choice], "object": "chat.completion.chunk"}

    def whole(self) -> JsonObject:
        return _completion(
            "chat.completion",
            {
                "context": self._context,
                "finish_reason": "stop",
                "index": 0,
                "logprobs": None,
                "message": {**_message(self.said), "function_call": None, "tool_calls": None},
                "session_state": self.reply.session_state,
            },
        )


class Flat(_Lines):
    """Dialect B, 2024-05-29: flat deltas."""

    def opening(self) -> Iterator[JsonObject]:
        yield {"delta": {"role": "assistant"}, "context": self.reply.context, "session_state": None}

    def text(self, piece: str) -> Iterator[JsonObject]:
        yield {"delta": _message(piece)}

    def closing(self) -> Iterator[JsonObject]:
        context, state = self.reply.closing, self.reply.session_state
        yield {"delta": {"role": "assistant"}, "context": context, "session_state": state}

    def whole(self) -> JsonObject:
        state = self.reply.session_state
        return {"message": _message(self.said), "context": self._context, "session_state": state}


class AIChatProtocol(_Lines):
    """Dialect C, Microsoft's AI Chat Protocol: flat deltas, `sessionState`, errors with a code."""

    stream_type: ClassVar = "application/jsonl"

    @staticmethod
    def refusal(code: str, message: str) -> JsonObject:
        return {"error": {"code": code, "message": message}}

    def opening(self) -> Iterator[JsonObject]:
        yield {"delta": {"role": "assistant"}, "context": self.reply.context}

    def text(self, piece: str) -> Iterator[JsonObject]:
        yield {"delta": {"content": piece}}

    def closing(self) -> Iterator[JsonObject]:
        yield {"delta": {}, "context": self.reply.closing, "sessionState": self.reply.session_state}

    def whole(self) -> JsonObject:
        state = self.reply.session_state
        return {"message": _message(self.said), "context": self._context, "sessionState": state}


class ResponsesOf2026(_Lines):
    """Dialect E, 2026: typed events, the delta a string."""

    def opening(self) -> Iterator[JsonObject]:
        yield {"type": "response.context", "context": self.reply.context, "session_state": None}

    def text(self, piece: str) -> Iterator[JsonObject]:
        yield {"type": "response.output_text.delta", "delta": piece}

    def closing(self) -> Iterator[JsonObject]:
        context, state = self.reply.closing, self.reply.session_state
        yield {"type": "response.context", "context": context, "session_state": state}

    def whole(self) -> JsonObject:
        return {"output_text": self.said, "context": self._context, "session_state": self.reply.session_state}


def _message(text: str) -> JsonObject:
    return {"content": text, "role": "assistant"}


def _completion(object_type: str, choice: JsonObject) -> JsonObject:
    return {
        "id": "chatcmpl-demo",
        "choices": [choice],
        "created": int(time.time()),
        "model": MODEL,
        "object": object_type,
        "system_fingerprint": None,
    }


def _context_choice(context: JsonObject) -> JsonObject:
    return {"delta": {"role": "assistant"}, "context": context, "finish_reason": None, "index": 0}
