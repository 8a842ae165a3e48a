"""The items of an `output` of OpenAI's Responses beside its messages: calls of tools, and their results."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from chat_ui.protocol.answers.data_points import SOURCES
from chat_ui.protocol.answers.thoughts import STEPS
from chat_ui.protocol.dialects.found_sources import context_found
from chat_ui.protocol.dialects.tool_calls import MOST, read_json
from chat_ui.protocol.events import ContextReceived, Event, Json, JsonObject
from chat_ui.protocol.translatable import Translatable, msg

_TITLES: Final[Mapping[str, Translatable]] = {
    "file_search_call": msg("File search"),
    "web_search_call": msg("Web search"),
    "code_interpreter_call": msg("Code"),
    "image_generation_call": msg("Image"),
    "computer_call": msg("Computer"),
    "mcp_list_tools": msg("Tools of {server}"),
    "mcp_approval_request": msg("Asks for permission to call {name}"),
}
_NO_STEPS: Final = frozenset({"message", "reasoning", "compaction", "additional_tools"})
_OUTPUT: Final = "_output"
"""The end of the type of an item that is the result of an earlier one: `function_call_output`."""
_ARGUMENTS: Final = (
    "arguments",
    "input",
    "queries",
    "action",
    "actions",
    "code",
    "operation",
    "revised_prompt",
    "tools",
)
_RESULTS: Final = ("error", "output", "results", "outputs", "result")
_NOT_TOLD: Final = frozenset(
    {"id", "type", "name", "encrypted_content", "agent_reference", "response_id", *_ARGUMENTS, *_RESULTS}
)
_NUMBERED: Final = re.compile(r"(?:azure_ai_search|remote_function)_call")
"""The calls whose documents Foundry cites as `doc_0`, `doc_1` and so on."""
_MOST_TOLD: Final = 10
"""How often an item is told: each time tells all that is known of it."""
_EMPTY: Final[tuple[Json, ...]] = (None, "", [], {})


class OutputItems:
    """The items of one answer. Items come again when they are done and with the whole response, perhaps with less."""

    def __init__(self) -> None:
        self._known: dict[str, dict[str, Json]] = {}
        """Every item with its result, by its id or the id of its call."""
        self._times: dict[str, int] = {}
        """How often each item came."""
        self._documents: dict[str, int] = {}
        """The number of the first document that each call found."""
        self._documents_found = 0

    def read(self, item: JsonObject, place: str) -> Iterator[Event]:
        """The step that an item of an output is, and the sources that were found in it; `place` names it where it has
        no id.
        """
        kind = item.get("type")
        if not isinstance(kind, str) or not kind or kind in _NO_STEPS:
            return
        key = next((one for one in (item.get("call_id"), item.get("id")) if isinstance(one, str) and one), place)
        if (known := self._known.get(key)) is None and len(self._known) >= MOST:
            return
        self._times[key] = times = self._times.get(key, 0) + 1
        if times > _MOST_TOLD:
            return
        present = {name: one for name, one in item.items() if one not in _EMPTY}
        if known is not None and kind.endswith(_OUTPUT):
            present = {name: present[name] for name in (*_RESULTS, "status") if name in present}
        self._known[key] = known = {**(known or {}), **present}
        yield ContextReceived({STEPS: {f"item {key}": _step(known, str(known["type"]))}})
        yield from self._found(item, key)

    def _found(self, item: JsonObject, key: str) -> Iterator[Event]:
        results = item.get("results")
        found = {
            f"{key} {number}": _source(one) for number, one in enumerate(results if isinstance(results, list) else ())
        }
        action = item.get("action")
        pages = action.get("sources") if isinstance(action, Mapping) else None
        for page in pages if isinstance(pages, list) else ():
            if isinstance(page, Mapping) and isinstance(url := page.get("url"), str):
                found[url] = {"title": url, **page}
        if sources := {name: source for name, source in found.items() if source}:
            yield ContextReceived({SOURCES: sources})
        elif results:
            yield from context_found(results, f"{key} ")
        output = read_json(item.get("output"))
        documents = output.get("documents") if isinstance(output, Mapping) else None
        if isinstance(documents, list) and _NUMBERED.match(str(item.get("type"))):
            yield ContextReceived({SOURCES: self._numbered(documents, key)})
        elif output:
            yield from context_found(output, f"{key} ")

    def _numbered(self, documents: list[Json], key: str) -> JsonObject:
        if key not in self._documents:
            self._documents[key] = self._documents_found
            self._documents_found += len(documents)
        names = (f"doc_{number}" for number in range(self._documents[key], self._documents_found))
        pairs = zip(names, documents, strict=False)
        return {name: {**document, "id": name} for name, document in pairs if isinstance(document, Mapping)}


def _step(item: JsonObject, kind: str) -> JsonObject:
    name = item.get("name")
    named = name if isinstance(name, str) and name else kind.removesuffix("_call").replace("_", " ")
    server = item.get("server_label")
    titled = _TITLES.get(kind)
    title = titled.filled_with(name=named, server=server if isinstance(server, str) else "") if titled else named
    has_failed = "error" in item or item.get("status") == "failed"
    told = {key: read_json(one) for key, one in item.items() if key not in _NOT_TOLD}
    arguments = {key: read_json(item[key]) for key in _ARGUMENTS if key in item}
    # A picture is its bytes.
    results = () if kind == "image_generation_call" else _RESULTS
    return {
        "title": msg("{name} failed", name=title) if has_failed else title,
        "description": next((read_json(item[key]) for key in results if key in item), None),
        "props": {**arguments, **told},
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
