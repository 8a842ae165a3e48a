"""OpenAI's chat completions, with the extras of compatible servers, and OpenAI's Responses."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import ClassVar

from chat_ui.features.demo.chat_request import ChatRequest, parse_request
from chat_ui.features.demo.dialects.dialect import MODEL, Dialect, Reply, json_of
from chat_ui.features.demo.errors import BadRequestError
from chat_ui.protocol.events import Json, JsonObject

_ID = "resp_"
_REASONING: JsonObject = {"item_id": "rs_demo", "output_index": 0, "summary_index": 0}
_SEARCH: JsonObject = {"item_id": "fs_demo", "output_index": 1}
_TEXT: JsonObject = {"item_id": "msg_demo", "output_index": 2, "content_index": 0}


class _OpenAi(Dialect):
    cites: ClassVar = True

    def __init__(self, reply: Reply) -> None:
        super().__init__(reply)
        self._annotations: list[Json] = []

    @staticmethod
    def refusal(code: str, message: str) -> JsonObject:
        return {"error": {"message": message, "type": code, "param": None, "code": code}}


class ChatCompletions(_OpenAi):
    """Chunks; a citation is a link in the text, with an annotation of its position at the end."""

    end: ClassVar = b"data: [DONE]\n\n"

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

    def complete(self) -> JsonObject:
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


class Responses(_OpenAi):
    """Named events, numbered in order; the search is a tool call, and each citation an annotation of the text. The id
    of a response includes the question for a follow-up, so the server is stateless.
    """

    def __init__(self, reply: Reply) -> None:
        super().__init__(reply)
        self._events = 0

    @staticmethod
    def read(value: object) -> ChatRequest:
        if not isinstance(value, Mapping) or value.get("previous_response_id") is None:
            return parse_request(value)
        previous = str(value["previous_response_id"]).removeprefix(_ID)
        chat = parse_request({**value, "session_state": previous})
        if chat.previous is None:
            raise BadRequestError("The previous response was not found.", 400, "previous_response_not_found")
        return chat

    @staticmethod
    def frame(value: JsonObject) -> bytes:
        return f"event: {value['type']}\n".encode() + b"data: " + json_of(value) + b"\n\n"

    def opening(self) -> Iterator[JsonObject]:
        thinking = self.reply.thinking
        part: JsonObject = {"type": "summary_text", "text": thinking}
        for name in ("created", "in_progress"):
            yield self._event(f"response.{name}", response=self._response("in_progress", []))
        yield self._item("added", 0, {**self._reasoning, "summary": []})
        yield self._event("response.reasoning_summary_part.added", **_REASONING, part={**part, "text": ""})
        yield self._event("response.reasoning_summary_text.delta", **_REASONING, delta=thinking)
        yield self._event("response.reasoning_summary_text.done", **_REASONING, text=thinking)
        yield self._event("response.reasoning_summary_part.done", **_REASONING, part=part)
        yield self._item("done", 0, self._reasoning)
        yield self._item("added", 1, {**self._search, "status": "in_progress", "results": None})
        for name in ("in_progress", "searching", "completed"):
            yield self._event(f"response.file_search_call.{name}", **_SEARCH)
        yield self._item("done", 1, self._search)
        yield self._item("added", 2, {**self._message("in_progress"), "content": []})
        yield self._event("response.content_part.added", **_TEXT, part=self._part())

    def text(self, piece: str) -> Iterator[JsonObject]:
        yield self._event("response.output_text.delta", **_TEXT, delta=piece, logprobs=[])

    def cite(self, number: int) -> Iterator[JsonObject]:
        annotation: JsonObject = {
            "type": "file_citation",
            "file_id": f"file-{number + 1}",
            "filename": self.reply.hits[number].passage.id,
            "index": len(self.said),
        }
        index = len(self._annotations)
        self._annotations.append(annotation)
        name = "response.output_text.annotation.added"
        yield self._event(name, **_TEXT, annotation_index=index, annotation=annotation)

    def closing(self) -> Iterator[JsonObject]:
        yield self._event("response.output_text.done", **_TEXT, text=self.said, logprobs=[])
        yield self._event("response.content_part.done", **_TEXT, part=self._part())
        yield self._item("done", 2, self._message("completed"))
        yield self._event("response.completed", response=self.complete())

    def failure(self, code: str, message: str) -> Iterator[JsonObject]:
        if code == "content_filter":
            details: JsonObject = {"incomplete_details": {"reason": code}}
            response = {**self._response("incomplete", self._output("incomplete")), **details}
            yield self._event("response.incomplete", response=response)
        else:
            error: JsonObject = {"error": {"code": "server_error", "message": message}}
            response = {**self._response("failed", self._output("incomplete")), **error}
            yield self._event("response.failed", response=response)

    def complete(self) -> JsonObject:
        asked, answered = self.tokens()
        usage: JsonObject = {
            "input_tokens": asked,
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": answered,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": asked + answered,
        }
        return {**self._response("completed", self._output("completed")), "usage": usage}

    def _event(self, name: str, **fields: Json) -> JsonObject:
        self._events += 1
        return {"type": name, "sequence_number": self._events - 1, **fields}

    def _item(self, stage: str, index: int, item: JsonObject) -> JsonObject:
        return self._event(f"response.output_item.{stage}", output_index=index, item=item)

    def _response(self, status: str, output: list[Json]) -> JsonObject:
        asked = self.reply.chat.body
        return {
            "id": _ID + self.reply.session_state,
            "object": "response",
            "created_at": int(time.time()),
            "status": status,
            "error": None,
            "incomplete_details": None,
            "instructions": None,
            "metadata": {},
            "model": MODEL,
            "output": output,
            "parallel_tool_calls": False,
            "previous_response_id": asked.get("previous_response_id"),
            "store": asked.get("store") is not False,
            "temperature": None,
            "tool_choice": "auto",
            "tools": [{"type": "file_search", "vector_store_ids": ["vs_demo"]}],
            "top_p": None,
            "usage": None,
        }

    def _output(self, status: str) -> list[Json]:
        return [self._reasoning, self._search, *([self._message(status)] if self.said else [])]

    @property
    def _reasoning(self) -> JsonObject:
        summary: JsonObject = {"type": "summary_text", "text": self.reply.thinking}
        return {"id": "rs_demo", "type": "reasoning", "summary": [summary]}

    @property
    def _search(self) -> JsonObject:
        results: list[Json] = [
            {
                "file_id": f"file-{number}",
                "filename": hit.passage.id,
                "score": round(hit.coverage, 4),
                "text": hit.passage.text,
                "attributes": {"title": hit.passage.title, "url": self.reply.url(hit)},
            }
            for number, hit in enumerate(self.reply.hits, 1)
        ]
        query = self.reply.query
        return {
            "id": "fs_demo",
            "type": "file_search_call",
            "status": "completed",
            "queries": [query],
            "results": results,
        }

    def _message(self, status: str) -> JsonObject:
        return {"id": "msg_demo", "type": "message", "role": "assistant", "status": status, "content": [self._part()]}

    def _part(self) -> JsonObject:
        return {"type": "output_text", "text": self.said, "annotations": [*self._annotations], "logprobs": []}
