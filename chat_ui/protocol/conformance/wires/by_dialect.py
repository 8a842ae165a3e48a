"""Which wire a backend speaks, by its dialect, by what it was known as, and by its answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from chat_ui.protocol.conformance.wires import ag_ui, ai_sdk, completions, data_stream, knowledge_base, responses
from chat_ui.protocol.conformance.wires.judging import Wire
from chat_ui.protocol.transport.recorder import WireRecord

_BY_DIALECT: Final[Mapping[str, Wire]] = {
    "openai": completions.WIRE,
    "ai-sdk": ai_sdk.WIRE,
    "ag-ui": ag_ui.WIRE,
    "knowledge-base": knowledge_base.WIRE,
}
_BY_KNOWN_BACKEND: Final[Mapping[str, Wire]] = {
    "openai-responses": responses.WIRE,
    "foundry-agent": responses.WIRE,
    "ai-sdk-4": data_stream.WIRE,
}
"""The samples of 2026 answer in the shape of Responses too, and are asked as the AI Chat Protocol wants."""


def wire_of(dialect: str | None, known_backend: str | None, answer: WireRecord) -> Wire | None:
    """The wire of a backend that gave an `answer` in that dialect; None for the AI Chat Protocol and all else."""
    if dialect == "ai-sdk" and data_stream.is_data_stream(answer):
        return data_stream.WIRE
    return _BY_KNOWN_BACKEND.get(known_backend or "") or _BY_DIALECT.get(dialect or "")
