"""The base class of dialects, and the AI Chat Protocol in its four dialects: JSON lines."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar
from urllib.parse import quote

from chat_ui.features.demo.chat_request import ChatRequest, parse_request
from chat_ui.features.demo.retrieval import Hit
from chat_ui.features.demo.streaming import pieces
from chat_ui.protocol.events import Json, JsonObject

MODEL = "extractive-demo"


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer ready to send: `text`, or a model's answer to a non-empty `prompt`. `query` found the `hits` of
    `context`; `closing` is the last part of the context.
    """

    chat: ChatRequest
    query: str
    hits: tuple[Hit, ...]
    context: JsonObject
    text: str
    prompt: tuple[JsonObject, ...]
    closing: JsonObject
    session_state: str

    @property
    def thinking(self) -> str:
        """The search as a reasoning model might describe it."""
        titles = dict.fromkeys(hit.passage.title for hit in self.hits)
        found = f"These are relevant: {', '.join(titles)}." if titles else "No documents match."
        return f"I search the documents for “{self.query}”. {found}"

    @property
    def results(self) -> JsonObject:
        """The found passages as a tool's result."""
        results: list[Json] = [
            {
                "id": hit.passage.id,
                "title": hit.passage.title,
                "content": hit.passage.text,
                "score": round(hit.score, 4),
            }
            for hit in self.hits
        ]
        return {"results": results}

    @property
    def followups(self) -> Json:
        """Follow-up questions; None if not requested."""
        return self.closing.get("followup_questions")

    def url(self, hit: Hit) -> str:
        """The address of a passage's document."""
        return self.chat.documents + quote(hit.passage.id, safe="#=")


class Dialect:
    """Serializes an answer as a backend does, object by object.

    A stream is `opening`, then `add` for each piece of the text and `cite` for each citation, then `closing`. An
    unstreamed answer is `complete` after the same calls. An error in a stream is `failure`, before a stream `refusal`.
    Each object is sent in a `frame`, and `end` ends each stream that is not cut.
    """

    stream_type: ClassVar = "text/event-stream"
    headers: ClassVar[Mapping[str, str]] = {}
    end: ClassVar = b""
    cites: ClassVar = False
    """Whether citations go to `cite`; else they are brackets in the text."""

    def __init__(self, reply: Reply) -> None:
        self.reply = reply
        self.said = ""

    @staticmethod
    def read(value: object) -> ChatRequest:
        """The request of a body's JSON.

        Raises:
            BadRequestError: the question is missing.
        """
        return parse_request(value)

    @staticmethod
    def refusal(code: str, message: str) -> JsonObject:
        """The body of an HTTP error."""
        return {"error": {"code": code, "message": message}}

    @staticmethod
    def frame(value: JsonObject) -> bytes:
        """An object in a stream: a server-sent event."""
        return b"data: " + json_of(value) + b"\n\n"

    def opening(self) -> Iterator[JsonObject]:
        """The objects before the text."""
        yield from ()

    def add(self, piece: str) -> Iterator[JsonObject]:
        """The objects of the next piece of the text."""
        self.said += piece
        yield from self.text(piece)

    def text(self, piece: str) -> Iterator[JsonObject]:
        """The objects of a piece of the text, which `said` already includes."""
        raise NotImplementedError

    def cite(self, number: int) -> Iterator[JsonObject]:
        """A citation of the hit at index `number`, at the end of `said`."""
        raise NotImplementedError

    def closing(self) -> Iterator[JsonObject]:
        """The objects after the text."""
        raise NotImplementedError

    def failure(self, code: str, message: str) -> Iterator[JsonObject]:
        """An error within a stream."""
        yield self.refusal(code, message)

    def complete(self) -> JsonObject:
        raise NotImplementedError

    def tokens(self) -> tuple[int, int]:
        """The number of tokens of the question and of the answer."""
        return len(list(pieces(self.reply.chat.question))), len(list(pieces(self.said)))


def json_of(value: JsonObject) -> bytes:
    """The compact JSON of an object; lone surrogates are replaced."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


class _Lines(Dialect):
    stream_type: ClassVar = "application/json-lines"

    @staticmethod
    def frame(value: JsonObject) -> bytes:
        return json_of(value) + b"\n"

    @staticmethod
    def refusal(code: str, message: str) -> JsonObject:  # noqa: ARG004 - these dialects lack a code
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

    def complete(self) -> JsonObject:
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

    state_key: ClassVar = "session_state"

    def opening(self) -> Iterator[JsonObject]:
        yield {"delta": {"role": "assistant"}, "context": self.reply.context, "session_state": None}

    def text(self, piece: str) -> Iterator[JsonObject]:
        yield {"delta": _message(piece)}

    def closing(self) -> Iterator[JsonObject]:
        context, state = self.reply.closing, self.reply.session_state
        yield {"delta": {"role": "assistant"}, "context": context, "session_state": state}

    def complete(self) -> JsonObject:
        state = self.reply.session_state
        return {"message": _message(self.said), "context": self._context, self.state_key: state}


class AIChatProtocol(Flat):
    """Dialect C, Microsoft's AI Chat Protocol: flat deltas, `sessionState`, errors with a code."""

    stream_type: ClassVar = "application/jsonl"
    state_key: ClassVar = "sessionState"

    refusal = staticmethod(Dialect.refusal)

    def opening(self) -> Iterator[JsonObject]:
        yield {"delta": {"role": "assistant"}, "context": self.reply.context}

    def text(self, piece: str) -> Iterator[JsonObject]:
        yield {"delta": {"content": piece}}

    def closing(self) -> Iterator[JsonObject]:
        yield {"delta": {}, "context": self.reply.closing, self.state_key: self.reply.session_state}


class ResponsesOf2026(_Lines):
    """Dialect E, 2026: typed events, the delta a string."""

    def opening(self) -> Iterator[JsonObject]:
        yield {"type": "response.context", "context": self.reply.context, "session_state": None}

    def text(self, piece: str) -> Iterator[JsonObject]:
        yield {"type": "response.output_text.delta", "delta": piece}

    def closing(self) -> Iterator[JsonObject]:
        context, state = self.reply.closing, self.reply.session_state
        yield {"type": "response.context", "context": context, "session_state": state}

    def complete(self) -> JsonObject:
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
