"""The answer that goes out, how a wire words it, and the AI Chat Protocol in its four dialects: lines of JSON."""

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
    """An answer ready to be sent: `text`, or what a model makes of `prompt` where that is not empty.

    `query` found the `hits`, of which `context` tells, and `closing` holds what of the context comes last.
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
        """The search, as a reasoning model might tell of it."""
        titles = dict.fromkeys(hit.passage.title for hit in self.hits)
        found = f"These say something about it: {', '.join(titles)}." if titles else "Nothing there fits."
        return f"I look in the documents for “{self.query}”. {found}"

    @property
    def results(self) -> JsonObject:
        """The passages that were found, as a tool gives them back."""
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
        """The questions that may come next; None where they are not wanted."""
        return self.closing.get("followup_questions")

    def url(self, hit: Hit) -> str:
        """The address of the document in which a passage is."""
        return self.chat.documents + quote(hit.passage.id, safe="#=")


class Dialect:
    """Words one answer as a backend does, object by object.

    A stream is `opening`, then `add` for each piece of the text and `cite` for each citation, then `closing`; an answer
    that is not streamed is `complete` after the same. An error in a stream is `failure`, one in place of an answer is
    `refusal`. Each object goes out in a `frame`, and `end` is the last of a stream that ends well or with an error.
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
        """The JSON of a request's body.

        Raises:
            BadRequestError: it holds no question.
        """
        return parse_request(value)

    @staticmethod
    def refusal(code: str, message: str) -> JsonObject:
        """The body of an HTTP error."""
        return {"error": {"code": code, "message": message}}

    @staticmethod
    def frame(value: JsonObject) -> bytes:
        """An object as it stands in a stream: a server-sent event."""
        return b"data: " + json_of(value) + b"\n\n"

    def opening(self) -> Iterator[JsonObject]:
        """What comes before the text."""
        yield from ()

    def add(self, piece: str) -> Iterator[JsonObject]:
        """The next piece of the text."""
        self.said += piece
        yield from self.text(piece)

    def text(self, piece: str) -> Iterator[JsonObject]:
        """A piece of the text, which is in `said` already."""
        raise NotImplementedError

    def cite(self, number: int) -> Iterator[JsonObject]:
        """A citation of the hit of this number, from 0, at the end of what was said."""
        raise NotImplementedError

    def closing(self) -> Iterator[JsonObject]:
        """What comes after the text."""
        raise NotImplementedError

    def failure(self, code: str, message: str) -> Iterator[JsonObject]:
        """An error after the beginning of a stream."""
        yield self.refusal(code, message)

    def complete(self) -> JsonObject:
        """The answer as one object."""
        raise NotImplementedError

    def tokens(self) -> tuple[int, int]:
        """Tokens of the question and of the answer."""
        return len(list(pieces(self.reply.chat.question))), len(list(pieces(self.said)))


def json_of(value: JsonObject) -> bytes:
    """The compact JSON of an object; a lone surrogate is replaced."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")


class _Lines(Dialect):
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
