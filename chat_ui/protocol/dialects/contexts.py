"""Context and session state, wherever in an object a backend puts them."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from typing import Final

from chat_ui.protocol.answers.data_points import SUPPORTED, newest
from chat_ui.protocol.backends.backend import HISTORY_METADATA
from chat_ui.protocol.dialects.objects import first_choice, objects_in_list
from chat_ui.protocol.events import (
    ContextReceived,
    Event,
    Json,
    JsonObject,
    SessionState,
    Warning,  # noqa: A004
)
from chat_ui.protocol.reading.json_text import excerpt, type_of

STATE_KEYS: Final = ("session_state", "sessionState", HISTORY_METADATA)
FOLLOWUPS: Final = "followup_questions"
CONTEXT_KEYS: Final = frozenset({"data_points", "thoughts", FOLLOWUPS, "citations"})
_PASSED_ON: Final = "provider_specific_fields"
_MAX_NESTING: Final = 8
_CONTEXT: Final = "a context"
_OF_TOOL: Final = "a tool message"


def context_events(value: JsonObject, own: Collection[str] = ()) -> Iterator[Event]:
    """The contexts and session states that one object carries, but for contexts under its `own` keys."""
    beside = {key: value[key] for key in CONTEXT_KEYS if key not in own and value.get(key) is not None}
    if beside:
        yield ContextReceived(beside)
    for place in _places(value):
        yield from _events_of(place.get("context"), _CONTEXT)
        for key in STATE_KEYS:
            if place.get(key) is not None:
                yield SessionState(key, place[key])


def _places(value: JsonObject) -> Iterator[JsonObject]:
    yield value
    choice = first_choice(value)
    if choice is not None:
        yield choice
    for outer in (value, choice):
        if outer is not None:
            for key in ("delta", "message"):
                inner = outer.get(key)
                if isinstance(inner, Mapping):
                    yield inner


def annotations_in(value: JsonObject) -> list[Json]:
    """Annotations of OpenAI, which name the sources of a text: `url_citation`, `file_citation` and their like.

    They come with `response.output_text.annotation.added`, with each part and item that is done, with the contents of
    an `output`, and with the delta or message of a choice. LiteLLM passes on those of Anthropic.
    """
    response = value.get("response")
    choice = first_choice(value) or {}
    places = [
        value.get("part"),
        *_contents([value.get("item")]),
        *_contents(value.get("output")),
        *_contents(response.get("output") if isinstance(response, Mapping) else None),
        choice.get("delta"),
        choice.get("message"),
    ]
    found = [value["annotation"]] if value.get("annotation") is not None else []
    for place in places:
        annotations = place.get("annotations") if isinstance(place, Mapping) else None
        if isinstance(annotations, list):
            found += annotations
    for place in (choice.get("delta"), choice.get("message"), response, value):
        found += passed_on_annotations(place)
    return found


def passed_on_annotations(place: Json) -> list[JsonObject]:
    """Citations of Anthropic's and Cohere's that LiteLLM puts into `provider_specific_fields`, as annotations: one of a
    stream, or lists of those of each part of the text.
    """
    fields = place.get(_PASSED_ON) if isinstance(place, Mapping) else None
    if not isinstance(fields, Mapping):
        return []
    listed, one = fields.get("citations"), fields.get("citation")
    groups = listed if isinstance(listed, list) else [one]
    citations = [found for group in groups for found in (group if isinstance(group, list) else [group])]
    return [found for citation in citations if isinstance(citation, Mapping) for found in _annotations(citation)]


def _annotations(citation: JsonObject) -> list[JsonObject]:
    """One, or that of each source of a citation of Cohere's."""
    sources = citation.get("sources")
    if not isinstance(sources, list):
        return [_annotation(citation)]
    documents = [source.get("document", source) for source in sources if isinstance(source, Mapping)]
    return [
        _annotation(
            {
                **document,
                "title": document.get("title") or document.get("id"),
                "cited_text": document.get("text") or document.get("snippet"),
                SUPPORTED: citation.get("text"),
            }
        )
        for document in documents
        if isinstance(document, Mapping)
    ]


def _annotation(citation: JsonObject) -> JsonObject:
    places = {
        "url": citation.get("url") or citation.get("source"),
        "title": citation.get("title") or citation.get("document_title"),
        "content": citation.get("cited_text"),
        SUPPORTED: citation.get(SUPPORTED),
    }
    return {key: place for key, place in places.items() if isinstance(place, str) and place}


def _contents(output: Json) -> Iterator[Json]:
    for item in objects_in_list(output):
        contents = item.get("content")
        if isinstance(contents, list):
            yield from contents


def unwrap_context(context: JsonObject) -> JsonObject:
    """`context` with every `context.context` inside it merged into one: what stands further out wins where it says
    something, and lists of follow-up questions are put together.
    """
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


def _is_of_tokens(context: Json) -> bool:
    """Whether a context is the numbers of tokens with which Ollama's `/api/generate` ends."""
    return isinstance(context, list) and all(type(token) is int for token in context)


def _events_of(context: Json, place: str) -> Iterator[Event]:
    """The events of a context in `place`, as an object or as the JSON of an object, or as LangChain's chains have it: a
    list of documents.
    """
    if isinstance(context, str):
        if not context.strip():
            return
        try:
            context = json.loads(context, strict=False)
        except (ValueError, RecursionError):
            no_json = f"{place} that is no JSON was skipped: {excerpt(context)}"
            yield Warning("unexpected_context", no_json)
            return
    if isinstance(context, list) and all(isinstance(document, Mapping) for document in context):
        context = {"data_points": context} if context else {}
    if isinstance(context, Mapping):
        if context:
            yield ContextReceived(unwrap_context(context))
        if place != _OF_TOOL:
            yield from _of_tools(context.get("messages"))
    elif context is not None and not _is_of_tokens(context):
        other = f"{place} that is {type_of(context)} was skipped: {excerpt(context)}"
        yield Warning("unexpected_context", other)


def _of_tools(messages: Json) -> Iterator[Event]:
    """The contexts in the `messages` of a context, where Azure OpenAI On Your Data had its citations before 2024."""
    for message in objects_in_list(messages):
        if message.get("role") == "tool":
            yield from tool_context_events(message.get("content"))
