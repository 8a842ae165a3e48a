"""What travelled for the newest answers of this process, in memory alone and bounded."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

from chat_ui.protocol.backend import Backend
from chat_ui.protocol.request import ChatRequest
from chat_ui.protocol.wire import WireRecorder

MOST: Final = 200
"""How many exchanges are remembered, of at most `MAX_RECORDED_BYTES` each."""


@dataclass(frozen=True, slots=True)
class Exchanged:
    """A request with the backend that it went to and what came back."""

    backend: Backend
    request: ChatRequest
    recorder: WireRecorder


class Inspections:
    """The newest exchanges, by the id of their generation."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._newest: OrderedDict[str, Exchanged] = OrderedDict()

    def begin(self, generation_id: str, backend: Backend, request: ChatRequest) -> WireRecorder:
        """A recorder for an exchange that begins now; the oldest exchange makes room for it."""
        recorder = WireRecorder()
        self._newest[generation_id] = Exchanged(backend, request, recorder)
        if len(self._newest) > self._most:
            self._newest.popitem(last=False)
        return recorder

    def get(self, generation_id: str) -> Exchanged | None:
        """The exchange of a generation; None where it is not remembered any more."""
        return self._newest.get(generation_id)


inspections: Final = Inspections()
