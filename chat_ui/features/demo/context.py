"""The context object of an answer, with data points and thoughts, and the optional language model's answer."""

from __future__ import annotations

import base64
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from chat_ui.features.demo.answering import Finding
from chat_ui.features.demo.chat_request import ChatRequest
from chat_ui.features.demo.errors import WordingError
from chat_ui.features.demo.library import COMPANY, DOCUMENTS, Passage
from chat_ui.features.demo.settings import DemoSettings
from chat_ui.protocol.backends.backend import Backend, Message
from chat_ui.protocol.backends.backend import ChatRequest as ModelRequest
from chat_ui.protocol.events import CutOff, Failed, Json, JsonObject, TextDelta
from chat_ui.protocol.transport.client import AsyncClient

INSTRUCTION = f"""\
You answer questions of the employees of {COMPANY} from the sources below and from nothing else. Be brief. \
Say so when the sources do not contain the answer. Each source begins with its name in square brackets: \
put that name in square brackets after each sentence that uses it, as in [Leave_Policy.pdf#page=2]. \
Name two sources separately: [a.md][b.pdf#page=1]. Answer in the language of the question."""


def answer_context(
    chat: ChatRequest, finding: Finding, passages: int, messages: tuple[JsonObject, ...], model: str
) -> JsonObject:
    """`data_points` and `thoughts` in the dialects' format. `passages` is the number of searched passages. `messages`
    is the prompt of the language model `model`, or empty.
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
        "title": "Files attached to the question",
        "description": [
            f"{name} ({media_type or 'unknown type'}, {size:,} bytes)" for name, media_type, size in chat.files
        ],
        "props": {"used_for_the_answer": False, "why": "The demo only reads text."},
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
        "title": "Composed the answer from source sentences",
        "description": quoted or "No sentence matches the question.",
        "props": {"wording": "sentences of the documents, no language model", "quotes": len(quoted)},
    }


def _prompt_thought(messages: tuple[JsonObject, ...], model: str) -> JsonObject:
    return {"title": "Prompt to generate answer", "description": messages, "props": {"model": model}}


def prompt(finding: Finding) -> tuple[JsonObject, ...]:
    """The messages for the model: the instruction, then the question with the found passages."""
    sources = "\n\n".join(f"[{hit.passage.id}] {hit.passage.text}" for hit in finding.hits)
    return (
        {"role": "system", "content": INSTRUCTION},
        {"role": "user", "content": f"{finding.query.question}\n\nSources:\n\n{sources}"},
    )


async def worded(settings: DemoSettings, messages: Sequence[JsonObject]) -> AsyncGenerator[str, None]:
    """The model's text as it streams from `settings.demo_llm_url` (with or without `/chat/completions`).

    Raises:
        WordingError: the endpoint cannot be reached, refuses, reports an error, breaks off or sends no text.
    """
    url = (settings.demo_llm_url or "").rstrip("/").removesuffix("/chat/completions") + "/chat/completions"
    key = settings.demo_llm_key
    backend = Backend(
        url,
        streaming="body",
        model=settings.demo_llm_model,
        headers={"Authorization": f"Bearer {key.get_secret_value()}"} if key else {},
    )
    asked = ModelRequest(tuple(Message(str(one["role"]), str(one["content"])) for one in messages))
    silent = True
    async with AsyncClient() as client, aclosing(client.stream(backend, asked)) as events:
        async for event in events:
            match event:
                case TextDelta(text):
                    silent = False
                    yield text
                case Failed(error):
                    raise WordingError(f"The language model failed: {error.message}")
                case CutOff(reason):
                    raise WordingError(f"The language model stopped early: {reason}")
    if silent:
        raise WordingError("The language model sent no text.")
