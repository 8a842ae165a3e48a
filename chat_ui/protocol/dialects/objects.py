"""Reading of objects, the same for all dialects.

Values of an unexpected type are ignored. Contents come as strings, numbers, parts and lists of parts.

`has_only`, `only_text`, `text_of` and `only_choice` are the fast path for objects with only a piece of text, nearly
every line of a stream. A family's reader gives the same events of them, five times slower.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from chat_ui.protocol.events import Json, JsonObject

_NAME: Final = re.compile(r"[A-Za-z_][\w.:-]{0,59}", re.ASCII)
_KEYS_TOLD: Final = 4
_MESSAGE: Final = frozenset({"content", "role"})
_EMPTY: Final[tuple[Json, ...]] = (None, "", [], {})
_THINKING: Final = ("thinking", "reasoning")
_OF_THOUGHT: Final = ("thinking", "reasoning", "summary", "text", "content")
"""Keys of the words of a part with thinking."""
_MAX_NESTING: Final = 8
_NO_TEXT: Final = ("compaction", "tool_result", "web_search_tool_result", "tool_use")
"""Types of parts that are not text of the answer, whatever their content."""
_MOST_READ: Final = 200_000
"""Characters of JSON within a string that are read."""


def object_in(value: Json, key: str) -> JsonObject:
    """The object under `key` of an object; else empty."""
    held = value.get(key) if isinstance(value, Mapping) else None
    return held if isinstance(held, Mapping) else {}


def list_in(value: Json, key: str) -> list[Json]:
    """The list under `key` of an object; else empty."""
    held = value.get(key) if isinstance(value, Mapping) else None
    return held if isinstance(held, list) else []


def objects_in(value: Json, key: str) -> list[JsonObject]:
    """The objects of the list under `key` of an object."""
    return [one for one in list_in(value, key) if isinstance(one, Mapping)]


def string_in(value: Json, *keys: str) -> str:
    """The first non-empty string under one of `keys` of an object; else empty."""
    if isinstance(value, Mapping):
        for key in keys:
            held = value.get(key)
            if isinstance(held, str) and held:
                return held
    return ""


def present(value: JsonObject) -> dict[str, Json]:
    """The object without null and empty values."""
    return {key: held for key, held in value.items() if held not in _EMPTY}


def name_of(value: JsonObject, event: str | None) -> str:
    """The name of an object: its server-sent `event`, its `type` or `object`, else the names of its keys."""
    for name in (event, value.get("type"), value.get("object")):
        if isinstance(name, str) and _NAME.fullmatch(name):
            return name
    keys = [key for key in value if _NAME.fullmatch(key)][:_KEYS_TOLD]
    return f"an object with {', '.join(keys)}" if keys else "an object"


def kind_of(value: Json) -> str:
    """The `type` of an object; else empty."""
    return string_in(value, "type")


def first_choice(value: JsonObject) -> JsonObject | None:
    """The choice with index 0, or the first without an index."""
    return next((choice for choice in objects_in(value, "choices") if choice.get("index") in (0, None, "0")), None)


def has_only(keys: frozenset[str], value: dict[str, Any]) -> bool:
    """Whether all non-null values of `value` are under `keys`."""
    if keys.issuperset(value):
        return True
    for key, held in value.items():  # noqa: SIM110 - a generator would take three times as long
        if held is not None and key not in keys:
            return False
    return True


def only_text(value: dict[str, Any], key: str, keys: frozenset[str]) -> str | None:
    """The text under `key`, if all non-null values are under `keys`."""
    text = value.get(key)
    return text if type(text) is str and has_only(keys, value) else None


def text_of(message: Any) -> str | None:
    """The text of an assistant's message, or of a piece of one; None if it may have more."""
    if type(message) is not dict or not has_only(_MESSAGE, message):
        return None
    text, role = message.get("content"), message.get("role")
    return text if type(text) is str and (role is None or role == "assistant") else None


def only_choice(value: dict[str, Any], keys: frozenset[str]) -> dict[str, Any] | None:
    """The only choice of an object, if all its non-null values are under `keys`."""
    choices = value.get("choices")
    if type(choices) is not list or len(choices) != 1 or type(choices[0]) is not dict:
        return None
    choice: dict[str, Any] = choices[0]
    if choice.get("index") or choice.get("finish_reason") is not None:
        return None
    return choice if has_only(keys, choice) else None


def read_json(value: Json) -> Json:
    """The value, or the JSON object or list in a string."""
    if not isinstance(value, str) or value.lstrip()[:1] not in {"{", "["} or len(value) > _MOST_READ:
        return value
    try:
        found: Json = json.loads(value)
    except (ValueError, RecursionError):
        return value
    return found


def thinking_text(content: Json) -> str:
    """The thinking among the parts of a content: by the types of `_THINKING`, and Gemini's that are a `thought`."""
    parts = content if isinstance(content, list) else [content]
    thoughts = [part for part in parts if isinstance(part, Mapping) and _is_thinking(part)]
    return "".join(content_text(next((part[key] for key in _OF_THOUGHT if part.get(key)), None)) for part in thoughts)


def _is_thinking(part: JsonObject) -> bool:
    return part.get("type") in _THINKING or part.get("thought") is True


def content_text(content: Json, depth: int = 0) -> str:
    """The text of a string, a number, or a list of parts (their `text`, or the words of a refusal)."""
    if content is None or isinstance(content, bool) or depth > _MAX_NESTING:
        return ""
    if isinstance(content, str):
        return content
    if isinstance(content, int | float):
        return str(content)
    if isinstance(content, Mapping):
        if content.get("type") in _NO_TEXT or _is_thinking(content):
            return ""
        held = (content.get(key) for key in ("text", "content", "value", "refusal"))
        return content_text(next((one for one in held if one is not None), None), depth + 1)
    return "".join(content_text(part, depth + 1) for part in content)


def message_text(message: JsonObject) -> str:
    """The text of a message or of a piece of one: its content, or the words of a refusal."""
    return content_text(message.get("content")) + content_text(message.get("refusal"))
