"""OpenAI's chat completions, with the extras of compatible servers: reasoning, and the passages that are cited."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import ClassVar

from chat_ui.demo.wires.wire import MODEL, Reply, Wire
from chat_ui.protocol.events import Json, JsonObject


class ChatCompletions(Wire):
    """Chunks; a citation is a link in the text, and an annotation at the end tells where it stands."""

    end: ClassVar = b"data: [DONE]\n\n"
    cites: ClassVar = True

    def __init__(self, reply: Reply) -> None:
        super().__init__(reply)
        self._annotations: list[Json] = []

    @staticmethod
    def refusal(code: str, message: str) -> JsonObject:
        return openai_error(code, message)

    def opening(self) -> Iterator[JsonObject]:
        yield self._chunk({"role": "assistant", "content": ""})
        yield self._chunk({"reasoning_content": self.reply.thinking})

    def text(self, piece: str) -> Iterator[JsonObject]:
        yield self._chunk({"content": piece})

    def cite(self, number: int) -> Iterator[JsonObject]:
        hit = self.reply.hits[number]
        url, title, start = self.reply.url(hit), hit.passage.title, len(self.said) + 1
        yield from self.add(f" ([{title}]({url}))")
        cited: JsonObject = {
            "url": url,
            "title": title,
            "content": hit.passage.text,
            "start_index": start,
            "end_index": len(self.said),
        }
        self._annotations.append({"type": "url_citation", "url_citation": cited})

    def closing(self) -> Iterator[JsonObject]:
        if self._annotations:
            yield self._chunk({"annotations": self._annotations})
        yield self._chunk({}, "stop")
        yield {**self._completion("chat.completion.chunk", []), "usage": self._usage()}

    def failure(self, code: str, message: str) -> Iterator[JsonObject]:
        if code == "content_filter":
            yield self._chunk({}, "content_filter")
        else:
            yield self.refusal(code, message)

    def whole(self) -> JsonObject:
        message: JsonObject = {
            "role": "assistant",
            "content": self.said,
            "refusal": None,
            "reasoning_content": self.reply.thinking,
            "annotations": self._annotations,
        }
        choice: JsonObject = {"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}
        return {**self._completion("chat.completion", [choice]), "usage": self._usage()}

    def _chunk(self, delta: JsonObject, finish_reason: str | None = None) -> JsonObject:
        choice: JsonObject = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        return self._completion("chat.completion.chunk", [choice])

    def _completion(self, object_type: str, choices: list[Json]) -> JsonObject:
        return {
            "id": "chatcmpl-demo",
            "object": object_type,
            "created": int(time.time()),
            "model": MODEL,
            "choices": choices,
        }

    def _usage(self) -> JsonObject:
        asked, answered = self.tokens()
        return {"prompt_tokens": asked, "completion_tokens": answered, "total_tokens": asked + answered}


def openai_error(code: str, message: str) -> JsonObject:
    return {"error": {"message": message, "type": code, "param": None, "code": code}}
