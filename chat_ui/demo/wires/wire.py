"""What the demo's wires have in common: the answer that goes out, and how a wire words it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar
from urllib.parse import quote

from chat_ui.demo.chat_request import ChatRequest, parse_request
from chat_ui.demo.retrieval import Hit
from chat_ui.demo.streaming import pieces
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


class Wire:
    """Words one answer as a backend does, object by object.

    A stream is `opening`, then `add` for each piece of the text and `cite` for each citation, then `closing`; an answer
    that is not streamed is `whole` after the same. An error in a stream is `failure`, one in place of an answer is
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

    def whole(self) -> JsonObject:
        """The answer as one object."""
        raise NotImplementedError

    def tokens(self) -> tuple[int, int]:
        """Tokens of the question and of the answer."""
        return len(list(pieces(self.reply.chat.question))), len(list(pieces(self.said)))


def json_of(value: JsonObject) -> bytes:
    """The compact JSON of an object; a lone surrogate is replaced."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
