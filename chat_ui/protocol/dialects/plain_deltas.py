"""The short way for objects that carry a piece of text and nothing else, which is nearly every line of a stream.

What is told here would be told by the readers in `dialects` as well, only five times slower; anything out of the
ordinary is left to them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, TypeAlias

PlainText: TypeAlias = Callable[[dict[str, Any]], str | None]
"""The text of an object, None where it may carry something else."""

_FLAT_KEYS: Final = frozenset({"delta", "id", "object", "created", "model"})
_CHOICES_KEYS: Final = frozenset({"choices", "id", "object", "created", "model", "system_fingerprint", "service_tier",
                                  "obfuscation"})  # fmt: skip
_CHOICE_KEYS: Final = frozenset({"delta", "index", "logprobs", "end_turn", "finish_reason"})
_DELTA_KEYS: Final = frozenset({"content", "role"})
_RESPONSES_KEYS: Final = frozenset({"type", "delta", "snapshot", "item_id", "output_index", "content_index", "logprobs",
                                    "sequence_number", "obfuscation"})  # fmt: skip
_OLLAMA_KEYS: Final = frozenset({"model", "created_at", "message", "done"})
_SAMPLE_APP_KEYS: Final = frozenset({"id", "model", "created", "object", "choices", "history_metadata",
                                     "apim-request-id"})  # fmt: skip
_MESSAGES: Final = frozenset({"messages", "delta"})


def _none_but(keys: frozenset[str], value: dict[str, Any]) -> bool:
    """Whether all that `value` says is under `keys`: null says nothing.

    Most objects have no other keys at all, which their readers ask first: that takes a fifth of the time.
    """
    for key, held in value.items():  # noqa: SIM110 - a generator would take three times as long
        if held is not None and key not in keys:
            return False
    return True


def _content(message: Any) -> str | None:
    if type(message) is not dict or not (_DELTA_KEYS.issuperset(message) or _none_but(_DELTA_KEYS, message)):
        return None
    text = message.get("content")
    role = message.get("role")
    return text if type(text) is str and (role is None or role == "assistant") else None


def _only_choice(value: dict[str, Any], keys: frozenset[str]) -> dict[str, Any] | None:
    choices = value.get("choices")
    if type(choices) is not list or len(choices) != 1 or type(choices[0]) is not dict:
        return None
    choice: dict[str, Any] = choices[0]
    if choice.get("index") or choice.get("finish_reason") is not None:
        return None
    return choice if keys.issuperset(choice) or _none_but(keys, choice) else None


def _flat(value: dict[str, Any]) -> str | None:
    if _FLAT_KEYS.issuperset(value) or _none_but(_FLAT_KEYS, value):
        return _content(value.get("delta"))
    return None


def _choices(value: dict[str, Any]) -> str | None:
    if not (_CHOICES_KEYS.issuperset(value) or _none_but(_CHOICES_KEYS, value)):
        return None
    choice = _only_choice(value, _CHOICE_KEYS)
    return None if choice is None else _content(choice.get("delta"))


def _responses(value: dict[str, Any]) -> str | None:
    if value.get("type") != "response.output_text.delta":
        return None
    text = value.get("delta")
    if type(text) is not str or not (_RESPONSES_KEYS.issuperset(value) or _none_but(_RESPONSES_KEYS, value)):
        return None
    return text


def _ollama(value: dict[str, Any]) -> str | None:
    if value.get("done") is False and (_OLLAMA_KEYS.issuperset(value) or _none_but(_OLLAMA_KEYS, value)):
        return _content(value.get("message"))
    return None


def sample_app_text(value: dict[str, Any], history_metadata: Any) -> str | None:
    """The text of an object of the sample app whose `history_metadata` is the one that was told before."""
    if value.get("history_metadata") != history_metadata:
        return None
    if not (_SAMPLE_APP_KEYS.issuperset(value) or _none_but(_SAMPLE_APP_KEYS, value)):
        return None
    choice = _only_choice(value, _MESSAGES)
    messages = choice.get("messages") if choice is not None and not choice.get("delta") else None
    return _content(messages[0]) if type(messages) is list and len(messages) == 1 else None


PLAIN_TEXT: Final[Mapping[str | None, PlainText]] = MappingProxyType(
    {
        "flat": _flat,
        "chat-protocol": _flat,
        "choices": _choices,
        "openai": _choices,
        "on-your-data": _choices,
        "responses": _responses,
        "ollama": _ollama,
    }
)
"""By the dialect that was seen last."""
