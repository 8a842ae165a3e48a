"""Reading of objects, the same for all dialects.

`has_only`, `text_of` and `only_choice` are the fast path for objects that carry a piece of text and nothing else, as
nearly every line of a stream does. A family's reader gives the same events of them, five times slower.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from chat_ui.protocol.events import Json, JsonObject

_NAME: Final = re.compile(r"[A-Za-z_][\w.:-]{0,59}", re.ASCII)
_KEYS_TOLD: Final = 4
_MESSAGE: Final = frozenset({"content", "role"})
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


def objects_in_list(value: Json) -> list[JsonObject]:
    """The objects of a list; none where it is not a list."""
    return [one for one in value if isinstance(one, Mapping)] if isinstance(value, list) else []


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


def has_only(keys: frozenset[str], value: dict[str, Any]) -> bool:
    """Whether all that `value` says is under `keys`: null says nothing."""
    if keys.issuperset(value):
        return True
    for key, held in value.items():  # noqa: SIM110 - a generator would take three times as long
        if held is not None and key not in keys:
            return False
    return True


def text_of(message: Any) -> str | None:
    """The text of a message, or of a piece of one, of the assistant; None where it may say more."""
    if type(message) is not dict or not (_MESSAGE.issuperset(message) or has_only(_MESSAGE, message)):
        return None
    text, role = message.get("content"), message.get("role")
    return text if type(text) is str and (role is None or role == "assistant") else None


def only_choice(value: dict[str, Any], keys: frozenset[str]) -> dict[str, Any] | None:
    """The one choice of an object, where all that it says is under `keys`."""
    choices = value.get("choices")
    if type(choices) is not list or len(choices) != 1 or type(choices[0]) is not dict:
        return None
    choice: dict[str, Any] = choices[0]
    if choice.get("index") or choice.get("finish_reason") is not None:
        return None
    return choice if keys.issuperset(choice) or has_only(keys, choice) else None
