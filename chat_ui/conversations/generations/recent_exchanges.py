"""The exchanges of the newest answers of this process, bounded and only in memory."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from chat_ui.protocol.backends.backend import Backend, ChatRequest
from chat_ui.protocol.recently_used import RecentlyUsed, size_of
from chat_ui.protocol.transport.recorder import MAX_RECORDED_BYTES, MAX_RECORDED_PIECES, ResponseRecorder

MEMORY_BYTES: Final = 48 * 1024 * 1024
_RECORDED: Final = 2 * MAX_RECORDED_BYTES + 130 * MAX_RECORDED_PIECES
"""Bytes of one recorder: pieces count whole, and each is an object."""


@dataclass(frozen=True, slots=True)
class Exchanged:
    """A request with its backend and its response."""

    backend: Backend
    request: ChatRequest
    recorder: ResponseRecorder


class Inspections:
    """The newest exchanges, by the id of their generation."""

    def __init__(self, memory_bytes: int = MEMORY_BYTES) -> None:
        self._newest: RecentlyUsed[str, Exchanged] = RecentlyUsed(memory_bytes)

    def begin(self, generation_id: str, backend: Backend, request: ChatRequest) -> ResponseRecorder:
        """A recorder for a new exchange, in place of the oldest."""
        recorder = ResponseRecorder()
        size = _RECORDED + size_of((backend, request), self._newest.most_bytes)
        self._newest.put(generation_id, Exchanged(backend, request, recorder), size)
        return recorder

    def get(self, generation_id: str) -> Exchanged | None:
        """The exchange of a generation; None if it was dropped."""
        return self._newest.get(generation_id)


inspections: Final = Inspections()
