"""What is opened by one event, goes on in others and is closed by one: texts, calls of tools, steps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from chat_ui.protocol.conformance.seen import as_json
from chat_ui.protocol.conformance.wires.server_events import Breach, type_of
from chat_ui.protocol.events import JsonObject


@dataclass(frozen=True, slots=True)
class Pairs:
    """The types of the events of one kind of thing, which `key` tells apart.

    What is open at an event of `ends` was left open; an event of `drops` ends whatever is open.
    """

    key: str
    start: str
    within: frozenset[str]
    end: str
    ends: frozenset[str]
    drops: frozenset[str] = frozenset()

    def occur_in(self, values: Iterable[JsonObject]) -> bool:
        """Whether any such event came."""
        return any(type_of(value) in {self.start, self.end, *self.within} for value in values)

    def breach_in(self, values: Iterable[JsonObject]) -> Breach:
        """The first event that opens what is open, goes on with or closes what is not, or was never closed."""
        opened: dict[str, JsonObject] = {}
        for value in values:
            kind, name = type_of(value), as_json(value.get(self.key))
            if kind in self.ends and opened:
                return as_json(next(iter(opened.values())))
            if kind in self.drops:
                opened.clear()
            elif kind == self.start:
                if name in opened:
                    return as_json(value)
                opened[name] = value
            elif kind == self.end or kind in self.within:
                if name not in opened:
                    return as_json(value)
                if kind == self.end:
                    del opened[name]
        return None


def without_fields(values: Iterable[JsonObject], fields: Mapping[str, tuple[str, ...]]) -> Breach:
    """The first event that lacks one of the strings that its type has."""
    for value in values:
        if not all(isinstance(value.get(key), str) for key in fields.get(type_of(value), ())):
            return as_json(value)
    return None
