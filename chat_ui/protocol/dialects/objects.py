"""Reading of objects, the same for all dialects."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from chat_ui.protocol.events import Json, JsonObject

_NAME: Final = re.compile(r"[A-Za-z_][\w.:-]{0,59}", re.ASCII)
_KEYS_TOLD: Final = 4
_EMPTY: Final[tuple[Json, ...]] = (None, "", [], {})


def present(value: JsonObject) -> JsonObject:
    """The object without null and empty values."""
    return {key: held for key, held in value.items() if held not in _EMPTY}


def name_of(value: JsonObject, event: str | None) -> str:
    """The name of an object: the server-sent `event` that carried it, its `type` or `object`, else the names of its
    keys. No other value of it is in the name.
    """
    for name in (event, value.get("type"), value.get("object")):
        if isinstance(name, str) and _NAME.fullmatch(name):
            return name
    keys = [key for key in value if _NAME.fullmatch(key)][:_KEYS_TOLD]
    return f"an object with {', '.join(keys)}" if keys else "an object"


def is_of_type(value: JsonObject, types: frozenset[str]) -> bool:
    """Whether the `type` of an object is one of `types`."""
    name = value.get("type")
    return isinstance(name, str) and name in types


def first_choice(value: JsonObject) -> JsonObject | None:
    """The choice with index 0, or the first without an index."""
    choices = value.get("choices")
    if not isinstance(choices, list):
        return None
    for choice in choices:
        if isinstance(choice, Mapping) and choice.get("index") in (0, None, "0"):
            return choice
    return None


def context_in(choice: JsonObject) -> JsonObject:
    """The context within the delta or the message of a choice; empty where there is none."""
    for inner in (choice.get("delta"), choice.get("message")):
        context = inner.get("context") if isinstance(inner, Mapping) else None
        if isinstance(context, Mapping):
            return context
    return {}
