"""Context and session state, anywhere in an object, and sources in results of tools, states and data."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from typing import Final, TypeGuard

from chat_ui.protocol.answers.data_points import SOURCES, newest
from chat_ui.protocol.answers.framework_documents import flat_document, ragflow_sources
from chat_ui.protocol.backends.backend import HISTORY_METADATA
from chat_ui.protocol.dialects.objects import first_choice, kind_of, list_in, object_in, objects_in, read_json
from chat_ui.protocol.events import AnswerWarning, ContextReceived, Event, Json, JsonObject, SessionState
from chat_ui.protocol.reading.json_text import excerpt, type_of

STATE_KEYS: Final = ("session_state", "sessionState", HISTORY_METADATA)
FOLLOWUPS: Final = "followup_questions"
CONTEXT_KEYS: Final = frozenset({"data_points", "thoughts", FOLLOWUPS, "citations"})
_MAX_NESTING: Final = 8
_CONTEXT: Final = "a context"
_OF_TOOL: Final = "a tool message"
_LISTS: Final = (
    "sources", "documents", "docs", "results", "search_results", "searchResults", "chunks", "passages", "references",
    "hits", "matches", "value", "nodes",
)  # fmt: skip
"""Keys of the findings in the results of tools."""
_IDENTITIES: Final = (
    "id", "filepath", "sourcepage", "filename", "file_name", "title", "name", "source", "sourcefile", "url", "uri",
    "link", "href",
)  # fmt: skip
_NAMES: Final = frozenset(_IDENTITIES)
_PASSAGES: Final = frozenset({"content", "text", "passage", "snippet", "chunk", "page_content", "pageContent"})
_ADDRESSES: Final = frozenset({"url", "href", "link", "uri"})
_SPELLINGS: Final = {"dataPoints": "data_points", "followupQuestions": "followup_questions"}
_TEXTS: Final = frozenset({"text", "input_text", "output_text"})
_MOST: Final = 1_000


def context_events(value: JsonObject, own: Collection[str] = ()) -> Iterator[Event]:
    """The contexts and session states in one object, except contexts under its `own` keys."""
    beside = {key: value[key] for key in CONTEXT_KEYS if key not in own and value.get(key) is not None}
    if beside:
        yield ContextReceived(beside)
    for place in _places(value):
        yield from _events_of(place.get("context"), _CONTEXT)
        if sources := ragflow_sources(place.get("reference")):
            yield ContextReceived({SOURCES: sources})
        for key in STATE_KEYS:
            if place.get(key) is not None:
                yield SessionState(key, place[key])


def _places(value: JsonObject) -> Iterator[JsonObject]:
    choice = first_choice(value)
    outer = (value,) if choice is None else (value, choice)
    yield from outer
    yield from (inner for one in outer for key in ("delta", "message") if (inner := object_in(one, key)))


def unwrap_context(context: JsonObject) -> JsonObject:
    """`context` with nested contexts merged in: outer, non-empty values win, and questions add up."""
    layers = [context]
    while isinstance(inner := layers[-1].get("context"), Mapping) and len(layers) < _MAX_NESTING:
        layers.append(inner)
    merged: dict[str, Json] = {}
    for layer in reversed(layers):
        for key, item in layer.items():
            if key == "context" or item is None:
                continue
            known = merged.get(key)
            if key == FOLLOWUPS and isinstance(known, list) and isinstance(item, list):
                merged[key] = [*known, *item]
            else:
                merged[key] = newest(known, item)
    return merged


def tool_context_events(content: Json) -> Iterator[Event]:
    """The context in the content of a tool message, which is a JSON string in the Azure sample app."""
    yield from _events_of(content, _OF_TOOL)


def _events_of(context: Json, place: str) -> Iterator[Event]:
    """The events of a context in `place`: an object, its JSON, or a list of documents as in LangChain's chains."""
    if isinstance(context, str):
        if not context.strip():
            return
        try:
            context = json.loads(context, strict=False)
        except (ValueError, RecursionError):
            no_json = f"{place} that is not JSON was skipped: {excerpt(context)}"
            yield AnswerWarning("unexpected_context", no_json)
            return
    if isinstance(context, list) and all(isinstance(document, Mapping) for document in context):
        context = {"data_points": context} if context else {}
    if isinstance(context, Mapping):
        if context:
            yield ContextReceived(unwrap_context(context))
        if place != _OF_TOOL:
            # Azure OpenAI On Your Data had its citations there before 2024.
            for message in objects_in(context, "messages"):
                if message.get("role") == "tool":
                    yield from tool_context_events(message.get("content"))
    elif context is not None and not (isinstance(context, list) and all(type(token) is int for token in context)):
        # Ollama's `/api/generate` ends with a context of token numbers.
        other = f"{place} that is {type_of(context)} was skipped: {excerpt(context)}"
        yield AnswerWarning("unexpected_context", other)


def context_found(value: Json, place: str) -> Iterator[Event]:
    """The context in `value`: data points, follow-up questions and thoughts by their names, or a list of sources.

    `place` distinguishes sources without an id. The findings of a tool may be texts in parts of a content: MCP has the
    parts in `content`, and marks errors.
    """
    value = read_json(value)
    if isinstance(value, Mapping) and value.get("isError") is True:
        return
    parts = value if isinstance(value, list) else [] if _is_source(value) else list_in(value, "content")
    texts = [part.get("text") for part in parts if _is_text(part)]
    if texts and all(isinstance(part, Mapping) and "type" in part for part in parts):
        for number, text in enumerate(texts[:_MOST], 1):
            if (found := read_json(text)) is not text:
                yield from context_found(found, f"{place}{number} " if len(texts) > 1 else place)
        return
    if isinstance(value, Mapping):
        known = {_SPELLINGS.get(key, key): held for key, held in unwrap_context(value).items()}
        if context := {key: known[key] for key in CONTEXT_KEYS if known.get(key) is not None}:
            yield ContextReceived(context)
            return
    if sources := _sources(value, place):
        yield ContextReceived({SOURCES: sources})


def _is_text(part: Json) -> TypeGuard[JsonObject]:
    """Whether a part is a text of a content, and not a document of type text."""
    return isinstance(part, Mapping) and kind_of(part) in _TEXTS and part.keys() & _NAMES <= {"id"}


def _sources(value: Json, place: str) -> dict[str, Json]:
    listed: Json = value
    if isinstance(value, Mapping):
        listed = next((value[key] for key in _LISTS if isinstance(value.get(key), list)), None)
        if listed is None and _is_source(value):
            listed = [value]
    if not isinstance(listed, list) or not listed or not all(_is_source(one) for one in listed):
        return {}
    sources = [one for one in listed[:_MOST] if isinstance(one, Mapping)]
    return {f"{place}{number}": _named(source) for number, source in enumerate(sources, 1)}


def _named(source: JsonObject) -> JsonObject:
    document = flat_document(source).item
    names = (document.get(key) for key in _IDENTITIES)
    return {**source, "id": next((name for name in names if isinstance(name, str | int) and name != ""), None)}


def _is_source(value: Json) -> bool:
    """Whether an object names a document and has a passage of it, or its address."""
    if not isinstance(value, Mapping):
        return False
    keys = {key for key, held in flat_document(value).item.items() if isinstance(held, str | int) and held != ""}
    return bool(keys & _ADDRESSES) or bool(keys & _NAMES and keys & _PASSAGES)
