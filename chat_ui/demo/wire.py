"""The dialects the demo speaks: what a backend of each sends, object by object."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from chat_ui.protocol.events import Json, JsonObject

MODEL = "extractive-demo"


@dataclass(frozen=True, slots=True)
class Dialect:
    """The objects of a dialect, for each part of an answer.

    A stream is `opening(context)`, `text(piece)` for each piece, then `closing(context, session_state)`; an
    answer that is not streamed is `whole(text, context, session_state)`; an error, in either, is
    `error(code, message)`.
    """

    name: str
    stream_type: str
    opening: Callable[[JsonObject], JsonObject]
    text: Callable[[str], JsonObject]
    closing: Callable[[JsonObject, Json], JsonObject]
    whole: Callable[[str, JsonObject, Json], JsonObject]
    error: Callable[[str, str], JsonObject]


def _message(text: str) -> JsonObject:
    return {"content": text, "role": "assistant"}


def _bare_error(_code: str, message: str) -> JsonObject:
    return {"error": message}


def _coded_error(code: str, message: str) -> JsonObject:
    return {"error": {"code": code, "message": message}}


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


def _choices_text(piece: str) -> JsonObject:
    delta: JsonObject = {"content": piece, "function_call": None, "role": None, "tool_calls": None}
    return _completion("chat.completion.chunk", {"delta": delta, "finish_reason": None, "index": 0, "logprobs": None})


def _choices_whole(text: str, context: JsonObject, session_state: Json) -> JsonObject:
    return _completion(
        "chat.completion",
        {
            "context": context,
            "finish_reason": "stop",
            "index": 0,
            "logprobs": None,
            "message": {**_message(text), "function_call": None, "tool_calls": None},
            "session_state": session_state,
        },
    )


CHOICES = Dialect(
    "A",
    "application/json-lines",
    opening=lambda context: {"choices": [_context_choice(context)], "object": "chat.completion.chunk"},
    text=_choices_text,
    closing=lambda context, state: {
        "choices": [{**_context_choice(context), "session_state": state}],
        "object": "chat.completion.chunk",
    },
    whole=_choices_whole,
    error=_bare_error,
)
"""Dialect A, 2024-01-28: OpenAI's chunks, with the context beside the delta."""

FLAT = Dialect(
    "B",
    "application/json-lines",
    opening=lambda context: {"delta": {"role": "assistant"}, "context": context, "session_state": None},
    text=lambda piece: {"delta": _message(piece)},
    closing=lambda context, state: {
        "delta": {"role": "assistant"},
        "context": context,
        "session_state": state,
    },
    whole=lambda text, context, state: {
        "message": _message(text),
        "context": context,
        "session_state": state,
    },
    error=_bare_error,
)
"""Dialect B, 2024-05-29: flat deltas."""

AI_CHAT_PROTOCOL = Dialect(
    "C",
    "application/jsonl",
    opening=lambda context: {"delta": {"role": "assistant"}, "context": context},
    text=lambda piece: {"delta": {"content": piece}},
    closing=lambda context, state: {"delta": {}, "context": context, "sessionState": state},
    whole=lambda text, context, state: {"message": _message(text), "context": context, "sessionState": state},
    error=_coded_error,
)
"""Dialect C, Microsoft's AI Chat Protocol: flat deltas, `sessionState`, errors with a code."""

RESPONSES = Dialect(
    "E",
    "application/json-lines",
    opening=lambda context: {"type": "response.context", "context": context, "session_state": None},
    text=lambda piece: {"type": "response.output_text.delta", "delta": piece},
    closing=lambda context, state: {"type": "response.context", "context": context, "session_state": state},
    whole=lambda text, context, state: {"output_text": text, "context": context, "session_state": state},
    error=_bare_error,
)
"""Dialect E, 2026: typed events, the delta a string."""
