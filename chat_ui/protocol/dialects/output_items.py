"""The items of an `output` of OpenAI's Responses beside its messages: calls of tools, and their results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from chat_ui.protocol.answers.data_points import SOURCES
from chat_ui.protocol.answers.thoughts import STEPS
from chat_ui.protocol.dialects.tool_calls import read_json
from chat_ui.protocol.events import ContextReceived, Event, Json, JsonObject
from chat_ui.protocol.translatable import Translatable, msg

_TITLES: Final[Mapping[str, Translatable]] = {
    "file_search_call": msg("File search"),
    "web_search_call": msg("Web search"),
    "code_interpreter_call": msg("Code"),
    "image_generation_call": msg("Image"),
    "computer_call": msg("Computer"),
    "mcp_list_tools": msg("Tools of {server}"),
    "mcp_approval_request": msg("Asks for leave to call {name}"),
}
_NO_STEPS: Final = frozenset({"message", "reasoning", "compaction"})
_ARGUMENTS: Final = ("arguments", "input", "queries", "action", "code", "revised_prompt", "tools")
_RESULTS: Final = ("output", "results", "outputs", "result", "error")
_NOT_TOLD: Final = frozenset({"id", "type", "name", "encrypted_content", *_ARGUMENTS, *_RESULTS})


def item_events(item: Json, place: str) -> Iterator[Event]:
    """The step that an item of an output is, and the sources that were found in it; `place` names it where it has no
    id.
    """
    kind = item.get("type") if isinstance(item, Mapping) else None
    if not isinstance(item, Mapping) or not isinstance(kind, str) or kind in _NO_STEPS:
        return
    key = item.get("id") or item.get("call_id")
    yield ContextReceived({STEPS: {f"{kind} {key if isinstance(key, str) else place}": _step(item, kind)}})
    results = item.get("results")
    found = {f"{key} {number}": _source(one) for number, one in enumerate(results if isinstance(results, list) else ())}
    action = item.get("action")
    pages = action.get("sources") if isinstance(action, Mapping) else None
    for page in pages if isinstance(pages, list) else ():
        if isinstance(page, Mapping) and isinstance(url := page.get("url"), str):
            found[url] = {"title": url, **page}
    if sources := {name: source for name, source in found.items() if source}:
        yield ContextReceived({SOURCES: sources})


def _step(item: JsonObject, kind: str) -> JsonObject:
    name = item.get("name")
    named = name if isinstance(name, str) and name else kind.removesuffix("_call").replace("_", " ")
    server = item.get("server_label")
    title = _TITLES.get(kind)
    result = next((item[key] for key in _RESULTS if item.get(key) is not None), None)
    props = {key: read_json(value) for key, value in item.items() if key not in _NOT_TOLD and value is not None}
    arguments = {key: read_json(item[key]) for key in _ARGUMENTS if item.get(key) not in (None, "", [], {})}
    return {
        "title": title.filled_with(name=named, server=server if isinstance(server, str) else "") if title else named,
        "description": read_json(result),
        "props": {**arguments, **props},
    }


def _source(result: Json) -> JsonObject:
    """The source that a result of a file search is; empty where it has no text. Its address may be in the attributes
    that people give their files.
    """
    if not isinstance(result, Mapping) or not isinstance(result.get("text"), str):
        return {}
    name, attributes = result.get("filename") or result.get("file_id"), result.get("attributes")
    url = attributes.get("url") if isinstance(attributes, Mapping) else None
    return {"id": name, "title": name, "text": result["text"], "url": url} if isinstance(name, str) else {}
