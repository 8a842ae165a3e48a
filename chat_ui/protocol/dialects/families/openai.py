"""OpenAI's chat completions, of its own and of compatible servers, and Azure OpenAI On Your Data.

Source of the rules: OpenAI's API reference and its guide to errors. A chunk without choices is not judged as a chunk:
Azure sends one before the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.dialects.families.choices import ChoicesReader
from chat_ui.protocol.dialects.family import Answered, Dialect, End, Family, KnownBackend, Match
from chat_ui.protocol.dialects.objects import context_in, first_choice
from chat_ui.protocol.dialects.wire_rules import (
    Observed,
    Rule,
    Verdict,
    Wire,
    as_json,
    done_rule,
    each,
    error_strings_rule,
    event_stream_rules,
)
from chat_ui.protocol.events import JsonObject
from chat_ui.protocol.translatable import msg

_OVERRIDES: Final = ("temperature", "top_p", "max_tokens", "seed", "presence_penalty", "frequency_penalty")
_OWN_DATA: Final = frozenset({"citations", "intent", "all_retrieved_documents"})


def _match(present: JsonObject, value: JsonObject) -> Match | None:
    choice = first_choice(value) if isinstance(present.get("choices"), list) else None
    if choice is None:
        return None
    name = value.get("object")
    if context_in(choice).keys() & _OWN_DATA or (isinstance(name, str) and name.startswith("extensions.")):
        return Match("on-your-data", 83, 3)
    return Match("openai", 81, 1) if isinstance(name, str) else None


def _known(answered: Answered) -> str:
    return "openai-compatible" if answered.answer.dialect == "openai" else "azure-openai-on-your-data"


def _is_over(value: JsonObject) -> bool:
    choice = first_choice(value) or {}
    is_whole = isinstance(choice.get("message"), Mapping) and not choice.get("delta")
    return is_whole or choice.get("finish_reason") not in (None, "", "null")


_REFERENCE: Final = "https://developers.openai.com/api/reference/resources/chat/subresources/completions/"
_CREATE: Final = _REFERENCE + "methods/create"
_CHUNKS: Final = _REFERENCE + "streaming-events"
_ERRORS: Final = "https://developers.openai.com/api/docs/guides/error-codes"
_REASONS: Final = ("stop", "length", "tool_calls", "content_filter", "function_call")


def _choices(seen: Observed) -> list[JsonObject]:
    return [choice for value in seen.objects if (choice := first_choice(value)) is not None]


def _has_reason(seen: Observed) -> Verdict:
    choices = _choices(seen)
    last = next((reason for one in reversed(choices) if (reason := one.get("finish_reason")) is not None), None)
    return Verdict(last in _REASONS if choices else None, f'"finish_reason": {as_json(last)}')


def _has_message(value: JsonObject) -> bool:
    message = (first_choice(value) or {}).get("message")
    return isinstance(message, Mapping) and message.get("role") == "assistant"


ERROR_RULES: Final = (
    Rule(
        "A request that is wrong gets a status from 400 to 499",
        _ERRORS,
        lambda seen: seen.on_refusal(lambda status, _: 400 <= status < 500),
    ),
    error_strings_rule(_ERRORS, "message", "type"),
)
"""The rules of errors of all of OpenAI's API."""

_WIRE: Final = Wire(
    "OpenAI’s reference of chat completions",
    None,
    (
        *event_stream_rules(_CREATE, may_be_done=True),
        Rule(
            "A choice of a chunk has a “delta”",
            _CHUNKS,
            lambda seen: each(_choices(seen), lambda choice: isinstance(choice.get("delta"), Mapping)),
        ),
        Rule(
            "A choice says why it ended: stop, length, tool_calls, content_filter or function_call",
            _CHUNKS,
            _has_reason,
        ),
        done_rule(_CREATE),
        Rule(
            "An answer that is not streamed has a choice with a message of the assistant",
            _CREATE,
            lambda seen: each([] if seen.whole is None else [seen.whole], _has_message),
        ),
        *ERROR_RULES,
    ),
    answers_whole=True,
)

_END: Final = End("finish_reason", _is_over, may_be_done=True)
_COMPATIBLE: Final = Backend("", streaming="body", overrides="body", known_overrides=_OVERRIDES, files="parts")

FAMILY: Final = Family(
    dialects=(
        Dialect("openai", msg("OpenAI chat completions"), _END),
        Dialect("on-your-data", "Azure OpenAI On Your Data", _END),
    ),
    match=_match,
    reader=ChoicesReader,
    position=3,
    places={"/v1/chat/completions": 3},
    endings={"/completions": _COMPATIBLE},
    bases={r"/openai/deployments/[^/]+": "/chat/completions"},
    backends={
        "azure-openai-on-your-data": KnownBackend(
            "Azure OpenAI On Your Data",
            "/openai/deployments/NAME/chat/completions?api-version=2024-10-21",
            Backend(
                "", streaming="body", overrides="body", known_overrides=_OVERRIDES, files="parts", key_header="api-key"
            ),
            "/openai/deployments/",
        ),
        "openai-compatible": KnownBackend(
            msg("OpenAI-compatible chat completions"), "/v1/chat/completions", _COMPATIBLE
        ),
    },
    known=_known,
    wire=lambda dialect, *_: _WIRE if dialect == "openai" else None,
)
