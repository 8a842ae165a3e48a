"""Sources in what no wire describes: the result of a tool, the state of an agent, a part of data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final, TypeGuard

from chat_ui.protocol.answers.data_points import SOURCES
from chat_ui.protocol.answers.framework_documents import flat_document
from chat_ui.protocol.dialects.contexts import CONTEXT_KEYS, unwrap_context
from chat_ui.protocol.dialects.objects import is_of_type
from chat_ui.protocol.dialects.tool_calls import read_json
from chat_ui.protocol.events import ContextReceived, Event, Json, JsonObject

_LISTS: Final = (
    "sources", "documents", "docs", "results", "search_results", "searchResults", "chunks", "passages", "references",
    "hits", "matches", "value", "nodes",
)  # fmt: skip
"""Keys under which tools give back what they found."""
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


def context_found(value: Json, place: str) -> Iterator[Event]:
    """The context that `value` is or holds: data points, follow-up questions and thoughts by their names, or a list of
    sources. `place` tells sources without an id of their own apart from others.

    What a tool found may be in parts of a content, as texts: those of MCP have them in a `content`, and say so where
    they are an error.
    """
    value = read_json(value)
    if isinstance(value, Mapping) and value.get("isError") is True:
        return
    parts = value.get("content") if isinstance(value, Mapping) and not _is_source(value) else value
    texts = [part.get("text") for part in parts if _is_text(part)] if isinstance(parts, list) else []
    if texts and isinstance(parts, list) and all(isinstance(part, Mapping) and "type" in part for part in parts):
        for number, text in enumerate(texts[:_MOST], 1):
            if (found := read_json(text)) is not text:
                yield from context_found(found, f"{place}{number} " if len(texts) > 1 else place)
        return
    if isinstance(value, Mapping):
        known = _spelled(unwrap_context(value))
        if context := {key: known[key] for key in CONTEXT_KEYS if known.get(key) is not None}:
            yield ContextReceived(context)
            return
    if sources := _sources(value, place):
        yield ContextReceived({SOURCES: sources})


def _is_text(part: Json) -> TypeGuard[JsonObject]:
    """Whether a part is a text of a content, and not a document that says of itself that it is text."""
    return isinstance(part, Mapping) and is_of_type(part, _TEXTS) and part.keys() & _NAMES <= {"id"}


def _spelled(value: JsonObject) -> JsonObject:
    return {_SPELLINGS.get(key, key): held for key, held in value.items()}


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
