"""Calls of tools that come in pieces: the name, the arguments as JSON that is cut anywhere, and the result."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from chat_ui.protocol.answers.growing_text import GrowingText
from chat_ui.protocol.answers.thoughts import STEPS
from chat_ui.protocol.events import ContextReceived, Json
from chat_ui.protocol.translatable import msg

MOST: Final = 1_000
_MOST_READ: Final = 200_000
"""Characters of JSON within a string that are read."""
_MOST_TOLD: Final = 8
"""How often a call is told: each time tells all of it. Its result is told in any case."""


@dataclass(slots=True)
class _Call:
    name: str = ""
    arguments: GrowingText = field(default_factory=GrowingText)
    result: Json = None
    has_failed: bool = False
    told: int = 0


class ToolCalls:
    """The calls of one answer, by the names that the backend gives them. Each becomes a step once it is told."""

    def __init__(self) -> None:
        self._calls: dict[str, _Call] = {}
        self._untold: dict[str, None] = {}

    def begin(self, key: str, name: Json) -> None:
        """A call begins, or its name comes."""
        if (call := self._call(key)) is not None and isinstance(name, str) and name:
            call.name = name

    def add(self, key: str, arguments: Json) -> None:
        """More of the arguments, as text; or all of them."""
        if (call := self._call(key)) is None or arguments is None:
            return
        call.arguments.append(arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False))

    def replace(self, key: str, arguments: Json) -> None:
        """All of the arguments, in place of those that came in pieces."""
        if (call := self._call(key)) is not None:
            call.arguments = GrowingText()
            self.add(key, arguments)

    def end(self, key: str, result: Json, *, has_failed: bool = False) -> None:
        """The result of a call, or the words with which it failed."""
        if (call := self._call(key)) is not None:
            if call.result is None:
                call.told = 0
            call.result, call.has_failed = result, has_failed

    def __contains__(self, key: str) -> bool:
        return key in self._calls

    def waits_for(self, key: str) -> bool:
        """Whether a call began and has no result."""
        return key in self._calls and self._calls[key].result is None

    @property
    def waiting(self) -> str:
        """The name of a call that has no result; empty where there is none."""
        return next((call.name or key for key, call in self._calls.items() if call.result is None), "")

    def steps(self) -> list[ContextReceived]:
        """The steps that changed since they were told, as one context."""
        told: dict[str, Json] = {}
        for key in self._untold:
            call = self._calls[key]
            if call.told < _MOST_TOLD:
                call.told += 1
                told[f"call {key}"] = _step(call, key)
        self._untold.clear()
        return [ContextReceived({STEPS: told})] if told else []

    def _call(self, key: str) -> _Call | None:
        if key not in self._calls and len(self._calls) >= MOST:
            return None
        self._untold[key] = None
        return self._calls.setdefault(key, _Call())


def _step(call: _Call, key: str) -> dict[str, Json]:
    arguments = read_json(call.arguments.whole())
    props = arguments if isinstance(arguments, Mapping) else {"arguments": arguments} if arguments else {}
    name = call.name or key
    return {
        "title": msg("{name} failed", name=name) if call.has_failed else name,
        "description": read_json(call.result),
        "props": props or None,
    }


def read_json(value: Json) -> Json:
    """The value, or what the JSON of an object or a list in it holds."""
    if not isinstance(value, str) or value.lstrip()[:1] not in {"{", "["} or len(value) > _MOST_READ:
        return value
    try:
        found: Json = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return found
