"""Which wire a backend speaks, by its dialect and by what it was known as."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from chat_ui.protocol.conformance.wires import ag_ui, ai_sdk, completions, knowledge_base, responses
from chat_ui.protocol.conformance.wires.judging import Wire

_BY_DIALECT: Final[Mapping[str, Wire]] = {
    "openai": completions.WIRE,
    "ai-sdk": ai_sdk.WIRE,
    "ag-ui": ag_ui.WIRE,
    "knowledge-base": knowledge_base.WIRE,
}
_BY_KNOWN_BACKEND: Final[Mapping[str, Wire | None]] = {
    "openai-responses": responses.WIRE,
    "foundry-agent": responses.WIRE,
    "ai-sdk-4": None,
}
"""The samples of 2026 answer in the shape of Responses too, and are asked as the AI Chat Protocol wants. The data
stream of the AI SDK, which version 5 ended, is judged by no rules.
"""


def wire_of(dialect: str | None, known_backend: str | None) -> Wire | None:
    """The wire of a backend that answered in that dialect; None for the AI Chat Protocol and all else."""
    if known_backend is not None and known_backend in _BY_KNOWN_BACKEND:
        return _BY_KNOWN_BACKEND[known_backend]
    return _BY_DIALECT.get(dialect or "")
