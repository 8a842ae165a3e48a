"""The context object of an answer: data points and thoughts, made of the passages found."""

from __future__ import annotations

import base64

from chat_ui.demo.answering import Finding
from chat_ui.demo.chat_request import ChatRequest
from chat_ui.demo.library import DOCUMENTS, Passage
from chat_ui.protocol.events import Json, JsonObject


def answer_context(
    chat: ChatRequest, finding: Finding, passages: int, messages: tuple[JsonObject, ...], model: str
) -> JsonObject:
    """`data_points` and `thoughts` as the dialects carry them.

    Args:
        chat: the request.
        finding: what was found for it.
        passages: how many passages were searched.
        messages: the prompt of a language model; empty where none words the answer.
        model: the name of the model.
    """
    last = _prompt_thought(messages, model) if messages else _answer_thought(finding)
    return {
        "data_points": _data_points([hit.passage for hit in finding.hits]),
        "thoughts": [
            *([_files_thought(chat)] if chat.files else []),
            _query_thought(chat, finding),
            _results_thought(finding, passages),
            last,
        ],
    }


def _data_points(passages: list[Passage]) -> JsonObject:
    images = [passage.document for passage in passages if passage.document.endswith(".png")]
    return {
        "text": [f"{passage.id}: {passage.text}" for passage in passages],
        "images": [{"url": _data_uri(name), "detail": "auto"} for name in images],
        "citations": [passage.id for passage in passages],
        "external_results_metadata": [],
    }


def _data_uri(name: str) -> str:
    return f"data:image/png;base64,{base64.b64encode((DOCUMENTS / name).read_bytes()).decode()}"


def _files_thought(chat: ChatRequest) -> JsonObject:
    return {
        "title": "Files that came with the question",
        "description": [
            f"{name} ({media_type or 'of no type'}, {size:,} bytes)" for name, media_type, size in chat.files
        ],
        "props": {"used_for_the_answer": False, "why": "This demo reads words alone."},
    }


def _query_thought(chat: ChatRequest, finding: Finding) -> JsonObject:
    return {
        "title": "Search using generated search query",
        "description": str(finding.query),
        "props": {
            "question": finding.query.question,
            "question_before": chat.previous if finding.query.previous_terms else None,
            "top": chat.top,
            "retrieval_mode": "text",
            "requested_retrieval_mode": chat.retrieval_mode,
            "use_text_search": True,
            "use_vector_search": False,
        },
    }


def _results_thought(finding: Finding, passages: int) -> JsonObject:
    results: list[Json] = [
        {
            "id": hit.passage.id,
            "title": hit.passage.title,
            "headings": hit.passage.headings,
            "sourcepage": hit.passage.id,
            "sourcefile": hit.passage.document,
            "content": hit.passage.text,
            "score": round(hit.score, 4),
            "coverage": round(hit.coverage, 4),
        }
        for hit in finding.hits
    ]
    return {
        "title": "Search results",
        "description": results,
        "props": {"engine": "SQLite FTS5, BM25 with Porter stemming", "passages_searched": passages},
    }


def _answer_thought(finding: Finding) -> JsonObject:
    quoted: list[Json] = [
        {
            "source": scored.unit.passage.id,
            "heading": scored.unit.passage.sections[scored.unit.section].heading,
            "text": scored.unit.text,
            "score": round(scored.score, 4),
        }
        for scored in finding.quoted
    ]
    return {
        "title": "Sentences put together as the answer",
        "description": quoted or "Nothing fits the question.",
        "props": {"wording": "sentences of the documents, no language model", "quotes": len(quoted)},
    }


def _prompt_thought(messages: tuple[JsonObject, ...], model: str) -> JsonObject:
    return {"title": "Prompt to generate answer", "description": messages, "props": {"model": model}}
