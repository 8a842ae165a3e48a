"""A knowledge base of Azure AI Search: an answer with its references and activity."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import ClassVar

from chat_ui.features.demo.chat_request import ChatRequest, parse_request
from chat_ui.features.demo.dialects.dialect import Dialect
from chat_ui.protocol.events import Json, JsonObject

_SYNTHESIS = "answerSynthesis"
_SOURCE: JsonObject = {"knowledgeSourceName": "documents"}


class KnowledgeBase(Dialect):
    """A knowledge base that answers, unless the request asks for the passages."""

    cites: ClassVar = True
    output_mode: ClassVar = _SYNTHESIS

    @staticmethod
    def read(value: object) -> ChatRequest:
        intents = value.get("intents") if isinstance(value, Mapping) else None
        if not isinstance(value, Mapping) or not isinstance(intents, list):
            return parse_request(value)
        searches = [intent.get("search") for intent in intents if isinstance(intent, Mapping)]
        return parse_request({**value, "messages": [{"role": "user", "content": search} for search in searches]})

    def text(self, piece: str) -> Iterator[JsonObject]:  # noqa: ARG002 - it answers as a whole
        yield from ()

    def cite(self, number: int) -> Iterator[JsonObject]:
        yield from self.add(f" [ref_id:{number}]")

    def complete(self) -> JsonObject:
        hits = self.reply.hits
        is_answer = self.reply.chat.body.get("outputMode", self.output_mode) == _SYNTHESIS
        passages = [
            {"ref_id": number, "title": hit.passage.title, "terms": self.reply.query, "content": hit.passage.text}
            for number, hit in enumerate(hits)
        ]
        text = self.said if is_answer else json.dumps(passages, ensure_ascii=False)
        asked, answered = self.tokens()
        activity: list[JsonObject] = [
            {"type": "modelQueryPlanning", "id": 0, "inputTokens": asked, "outputTokens": asked, "elapsedMs": 1},
            {
                "type": "searchIndex",
                "id": 1,
                **_SOURCE,
                "count": len(hits),
                "elapsedMs": 1,
                "searchIndexArguments": {"search": self.reply.query},
            },
        ]
        if is_answer:
            synthesis: JsonObject = {"inputTokens": asked, "outputTokens": answered, "elapsedMs": 1}
            activity.append({"type": "modelAnswerSynthesis", "id": 2, **synthesis})
        references: list[Json] = [
            {
                "type": "searchIndex",
                "id": str(number),
                "activitySource": 1,
                "docKey": hit.passage.id,
                "rerankerScore": round(4 * hit.coverage, 4),
                "sourceData": {
                    "id": hit.passage.id,
                    "title": hit.passage.title,
                    "content": hit.passage.text,
                    "url": self.reply.url(hit),
                },
            }
            for number, hit in enumerate(hits)
        ]
        message: JsonObject = {"role": "assistant", "content": [{"type": "text", "text": text}]}
        body: dict[str, Json] = {"response": [message]}
        if self.reply.chat.body.get("includeActivity"):
            body["activity"] = activity
        return {**body, "references": references}


class Passages(KnowledgeBase):
    """A knowledge base that returns passages, unless the request asks for an answer."""

    output_mode: ClassVar = "extractiveData"
