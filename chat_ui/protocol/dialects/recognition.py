"""Which dialect an object shows by the keys it has."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from chat_ui.protocol.events import Json, JsonObject

DIALECTS: Final = {
    "choices": "AI Chat Protocol of January 2024",
    "flat": "AI Chat Protocol of May 2024",
    "chat-protocol": "Microsoft AI Chat Protocol",
    "openai": "OpenAI chat completions",
    "on-your-data": "Azure OpenAI On Your Data",
    "responses": "AI Chat Protocol of 2026, as OpenAI’s Responses",
    "sample-app": "Azure sample app",
    "ollama": "Ollama",
    "answer": "Azure sample of 2023",
}
"""The names a dialect can be fixed to, each with what a person reads."""
FAMILY: Final = {
    "choices": "choices",
    "openai": "choices",
    "on-your-data": "choices",
    "flat": "flat",
    "chat-protocol": "flat",
    "ollama": "flat",
    "responses": "responses",
    "sample-app": "sample-app",
    "answer": "answer",
}
"""Dialects of one family have their text in the same places."""
UNKNOWN_DIALECT: Final = "a dialect that is not known"
_NAME: Final = re.compile(r"[A-Za-z_][\w.:-]{0,59}", re.ASCII)
_KEYS_TOLD: Final = 4
_EMPTY: Final[tuple[Json, ...]] = (None, "", [], {})
_OWN_DATA_KEYS: Final = frozenset({"citations", "intent", "all_retrieved_documents"})


def name_of(value: JsonObject) -> str | None:
    """The dialect that one object shows, None where it could be of any: by the keys that say something, and by those
    with nothing in them where no other does.
    """
    saying = {key: held for key, held in value.items() if held not in _EMPTY}
    return _name_by(saying, value) or _name_by(value, value)


def _name_by(saying: JsonObject, value: JsonObject) -> str | None:
    kind = value.get("type")
    if (isinstance(kind, str) and kind.startswith("response.")) or saying.get("output_text") is not None:
        return "responses"
    if value.get("object") == "response" and isinstance(saying.get("output"), list):
        return "responses"
    if isinstance(saying.get("choices"), list) and (name := _choices_name(value)):
        return name
    if "done" in value and ("message" in saying or "response" in saying):
        return "ollama"
    if isinstance(saying.get("delta"), str):
        return "responses"
    if "delta" in saying or isinstance(saying.get("message"), Mapping):
        return "chat-protocol" if "sessionState" in value else "flat"
    if "answer" in saying and not isinstance(saying["answer"], Mapping):
        return "answer"
    return None


def _choices_name(value: JsonObject) -> str | None:
    choice = first_choice(value)
    if choice is None:
        return None
    if "messages" in choice:
        return "sample-app"
    inner = _inner_context(choice)
    named = value.get("object")
    if inner.keys() & _OWN_DATA_KEYS or (isinstance(named, str) and named.startswith("extensions.")):
        return "on-your-data"
    if inner or choice.keys() & {"context", "session_state"} or not isinstance(named, str):
        return "choices"
    return "openai"


def _inner_context(choice: JsonObject) -> JsonObject:
    for inner in (choice.get("delta"), choice.get("message")):
        context = inner.get("context") if isinstance(inner, Mapping) else None
        if isinstance(context, Mapping):
            return context
    return {}


def certainty(name: str, value: JsonObject) -> int:
    """How surely `value` is of the dialect `name` rather than another of its family."""
    if name == "choices":
        choice = first_choice(value) or {}
        return 2 if choice.keys() & {"context", "session_state"} or _inner_context(choice) else 0
    return {"openai": 1, "on-your-data": 3, "chat-protocol": 1, "ollama": 2}.get(name, 0)


def kind_in_words(value: JsonObject, event: str | None) -> str:
    """What an object says that it is: the server-sent `event` that carried it, its `type` or `object`, else the names
    of its keys. None of its other values is told.
    """
    for name in (event, value.get("type"), value.get("object")):
        if isinstance(name, str) and _NAME.fullmatch(name):
            return name
    keys = [key for key in value if _NAME.fullmatch(key)][:_KEYS_TOLD]
    return f"an object with {', '.join(keys)}" if keys else "an object"


def first_choice(value: JsonObject) -> JsonObject | None:
    """The choice with index 0, or the first without an index."""
    choices = value.get("choices")
    if not isinstance(choices, list):
        return None
    for choice in choices:
        if isinstance(choice, Mapping) and choice.get("index") in (0, None, "0"):
            return choice
    return None
