"""Calls of tools, as steps of an answer.

Most dialects send a call in pieces: the name, the arguments as JSON that is cut anywhere, and the result. OpenAI's
Responses have calls and results as items of an `output`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from chat_ui.protocol.answers.data_points import SOURCES
from chat_ui.protocol.answers.pause import Resume
from chat_ui.protocol.answers.streaming_text import StreamingText
from chat_ui.protocol.answers.thoughts import STEPS
from chat_ui.protocol.clean_text import clean_json
from chat_ui.protocol.dialects.contexts import context_found
from chat_ui.protocol.dialects.objects import kind_of, list_in, object_in, objects_in, present, read_json, string_in
from chat_ui.protocol.events import ContextReceived, Event, Json, JsonObject
from chat_ui.protocol.translatable import Translatable, msg

MOST_CALLS: Final = 1_000
_MOST_TOLD: Final = 10
"""Repetitions of a call that are passed on, each of them whole. Its result is always passed on."""
_TITLES: Final[Mapping[str, Translatable]] = {
    "file_search_call": msg("File search"),
    "web_search_call": msg("Web search"),
    "code_interpreter_call": msg("Code"),
    "image_generation_call": msg("Image"),
    "computer_call": msg("Computer"),
    "mcp_list_tools": msg("Tools of {server}"),
}
_NO_STEPS: Final = frozenset({"message", "reasoning", "compaction", "additional_tools", "mcp_approval_request"})
_OUTPUT: Final = "_output"
"""The end of the type of an item with the result of an earlier one: `function_call_output`."""
_ARGUMENTS: Final = (
    "arguments", "input", "queries", "action", "actions", "code", "operation", "revised_prompt", "tools",
)  # fmt: skip
_RESULTS: Final = ("error", "output", "results", "outputs", "result")
_TOLD_ELSEWHERE: Final = frozenset(
    {"id", "type", "name", "encrypted_content", "agent_reference", "response_id", *_ARGUMENTS, *_RESULTS}
)
_NUMBERED: Final = re.compile(r"(?:azure_ai_search|remote_function)_call")
"""The calls whose documents Foundry cites as `doc_0`, `doc_1` and so on."""


@dataclass(slots=True)
class _Call:
    name: str = ""
    arguments: StreamingText = field(default_factory=StreamingText)
    result: Json = None
    has_failed: bool = False
    told: int = 0
    earlier: Json = None
    """The arguments in an earlier part of the answer."""

    @property
    def known_arguments(self) -> Json:
        return read_json(self.arguments.joined()) or self.earlier


class ToolCalls:
    """The calls of one answer, by the names that the backend gives them. Each becomes a step with `steps`, unless its
    tool is `hidden`.
    """

    def __init__(self, hidden: Collection[str] = ()) -> None:
        self._hidden = hidden
        self._earlier: Mapping[str, tuple[str, Json]] = {}
        self._calls: dict[str, _Call] = {}
        self._untold: dict[str, None] = {}

    def continues(self, calls: Mapping[str, tuple[str, Json]]) -> None:
        """Know calls before a pause by their names and arguments; a result makes them steps."""
        self._earlier = calls

    def begin(self, key: str, name: Json) -> None:
        """A call begins, or its name comes."""
        if (call := self._call(key)) is not None and isinstance(name, str) and name:
            call.name = name

    def add(self, key: str, arguments: Json) -> None:
        """More of the arguments, as text; or all of them."""
        if (call := self._call(key)) is None or arguments is None:
            return
        if not isinstance(arguments, str):
            arguments = json.dumps(clean_json(arguments), ensure_ascii=False)
        call.arguments.append(arguments)

    def replace(self, key: str, arguments: Json) -> None:
        """All of the arguments, in place of those that came in pieces."""
        if (call := self._call(key)) is not None:
            call.arguments = StreamingText()
            self.add(key, arguments)

    def end(self, key: str, result: Json, *, has_failed: bool = False) -> None:
        """The result of a call, or the words of its failure."""
        if (call := self._call(key)) is not None:
            if call.result is None:
                call.told = 0
            call.result, call.has_failed = result, has_failed

    def __contains__(self, key: str) -> bool:
        return key in self._calls

    def waits_for(self, key: str) -> bool:
        """Whether a call began and still lacks its result."""
        return key in self._calls and self._calls[key].result is None

    @property
    def waiting(self) -> list[str]:
        """The calls without a result."""
        return [key for key, call in self._calls.items() if call.result is None]

    def told(self, key: str) -> tuple[str, Json]:
        """The name and the arguments of a call; empty for one that is unknown."""
        call = self._calls.get(key)
        return (call.name, call.known_arguments) if call is not None else self._earlier.get(key, ("", None))

    def as_function(self, key: str) -> JsonObject:
        """A call as OpenAI's messages have it."""
        call = self._calls.get(key) or _Call()
        function: JsonObject = {"name": call.name, "arguments": call.arguments.joined() or "{}"}
        return {"id": key, "type": "function", "function": function}

    def steps(self) -> list[ContextReceived]:
        """The changed steps, as one context."""
        told: dict[str, Json] = {}
        for key in self._untold:
            call = self._calls[key]
            if call.told < _MOST_TOLD and call.name not in self._hidden:
                call.told += 1
                told[f"call {key}"] = _step(call, key)
        self._untold.clear()
        return [ContextReceived({STEPS: told})] if told else []

    def _call(self, key: str) -> _Call | None:
        if key not in self._calls and len(self._calls) >= MOST_CALLS:
            return None
        self._untold[key] = None
        if key not in self._calls:
            name, arguments = self._earlier.get(key, ("", None))
            self._calls[key] = _Call(name, earlier=arguments)
        return self._calls[key]


def calls_of(resume: Resume) -> dict[str, tuple[str, Json]]:
    """The tool and the arguments of each call that needed a decision."""
    return {one.call: (one.tool, one.arguments) for pause, _ in resume.steps for one in pause.interrupts if one.call}


def _step(call: _Call, key: str) -> dict[str, Json]:
    arguments = call.known_arguments
    props = arguments if isinstance(arguments, Mapping) else {"arguments": arguments} if arguments else {}
    name = call.name or key
    return {
        "title": msg("{name} failed", name=name) if call.has_failed else name,
        "description": read_json(call.result),
        "props": props or None,
    }


class OutputItems:
    """The items of one answer. An item is repeated at its end and with the whole response, perhaps with less."""

    def __init__(self) -> None:
        self._known: dict[str, dict[str, Json]] = {}
        """Every item with its result, by its id or the id of its call."""
        self._times: dict[str, int] = {}
        self._documents: dict[str, int] = {}
        """The number of the first document of each call."""
        self._documents_found = 0

    def continues(self, resume: Resume) -> None:
        """Know the calls that wait since an earlier response by their names, for their results."""
        for key, (name, arguments) in calls_of(resume).items():
            self._known[key] = {"type": "function_call", "name": name, "arguments": arguments}

    def read(self, item: JsonObject, place: str) -> Iterator[Event]:
        """The step of an item, and its sources; `place` names an item without an id."""
        kind = kind_of(item)
        if not kind or kind in _NO_STEPS:
            return
        key = string_in(item, "call_id", "id") or place
        if (known := self._known.get(key)) is None and len(self._known) >= MOST_CALLS:
            return
        self._times[key] = times = self._times.get(key, 0) + 1
        if times > _MOST_TOLD:
            return
        new = present(item)
        if known is not None and kind.endswith(_OUTPUT):
            new = {name: new[name] for name in (*_RESULTS, "status") if name in new}
        self._known[key] = known = {**(known or {}), **new}
        yield ContextReceived({STEPS: {f"item {key}": _item_step(known)}})
        yield from self._found(item, key)

    def _found(self, item: JsonObject, key: str) -> Iterator[Event]:
        found = {f"{key} {number}": _source(one) for number, one in enumerate(list_in(item, "results"))}
        for page in objects_in(object_in(item, "action"), "sources"):
            if url := string_in(page, "url"):
                found[url] = {"title": url, **page}
        if sources := {name: source for name, source in found.items() if source}:
            yield ContextReceived({SOURCES: sources})
        else:
            yield from context_found(item.get("results"), f"{key} ")
        output = read_json(item.get("output"))
        documents = list_in(output, "documents")
        if documents and _NUMBERED.match(kind_of(item)):
            yield ContextReceived({SOURCES: self._numbered(documents, key)})
        else:
            yield from context_found(output, f"{key} ")

    def _numbered(self, documents: list[Json], key: str) -> JsonObject:
        if key not in self._documents:
            self._documents[key] = self._documents_found
            self._documents_found += len(documents)
        names = (f"doc_{number}" for number in range(self._documents[key], self._documents_found))
        pairs = zip(names, documents, strict=False)
        return {name: {**document, "id": name} for name, document in pairs if isinstance(document, Mapping)}


def _item_step(item: JsonObject) -> JsonObject:
    kind = kind_of(item)
    name = string_in(item, "name") or kind.removesuffix("_call").replace("_", " ")
    titled = _TITLES.get(kind)
    title = titled.filled_with(name=name, server=string_in(item, "server_label")) if titled else name
    has_failed = "error" in item or item.get("status") == "failed"
    told = {key: read_json(one) for key, one in item.items() if key not in _TOLD_ELSEWHERE}
    arguments = {key: read_json(item[key]) for key in _ARGUMENTS if key in item}
    # A picture is its bytes.
    results = () if kind == "image_generation_call" else _RESULTS
    return {
        "title": msg("{name} failed", name=title) if has_failed else title,
        "description": next((read_json(item[key]) for key in results if key in item), None),
        "props": {**arguments, **told},
    }


def _source(result: Json) -> JsonObject:
    """The source in a result of a file search; its address may be in the attributes of the file."""
    if not isinstance(result, Mapping) or not isinstance(result.get("text"), str):
        return {}
    name, url = string_in(result, "filename", "file_id"), object_in(result, "attributes").get("url")
    return {"id": name, "title": name, "text": result["text"], "url": url} if name else {}
