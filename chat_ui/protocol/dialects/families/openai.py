"""OpenAI's chat completions, of its own and of compatible servers, and Azure OpenAI On Your Data."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.dialects.families.choices import ChoicesReader
from chat_ui.protocol.dialects.family import Answered, Dialect, End, Family, KnownBackend, Match
from chat_ui.protocol.dialects.objects import context_in, first_choice
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


_END: Final = End("finish_reason", _is_over, may_be_done=True)
_COMPATIBLE: Final = Backend("", streaming="body", overrides="body", known_overrides=_OVERRIDES, files="parts")

FAMILY: Final = Family(
    dialects=(
        Dialect(
            "openai",
            msg("OpenAI chat completions"),
            "chat completions as server-sent events",
            "OpenAI-compatible servers",
            _END,
        ),
        Dialect(
            "on-your-data",
            "Azure OpenAI On Your Data",
            "chat completions with citations in a context",
            "Azure OpenAI On Your Data",
            _END,
        ),
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
)
