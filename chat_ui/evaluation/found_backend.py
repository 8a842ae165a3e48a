"""Asking a backend whose whole address may not be known yet."""

from __future__ import annotations

from dataclasses import dataclass, replace

from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.backends.backend import Backend
from chat_ui.protocol.backends.request import ChatRequest, UnsendableError
from chat_ui.protocol.detection.asking import answer_anywhere
from chat_ui.protocol.events import NO_END, ErrorInfo
from chat_ui.protocol.transport.client import Client


@dataclass(slots=True)
class FoundBackend:
    """Asks at the address first, and from then on where the backend was found."""

    client: Client
    backend: Backend
    found: Backend | None = None

    async def __call__(self, request: ChatRequest) -> Answer:
        """The answer to `request`, with its error where there was one."""
        try:
            answer = await self._answer(request)
        except UnsendableError as problem:
            return Answer(error=ErrorInfo(str(problem)))
        asked = self.found or self.backend
        is_whole = self.client.sends_no_end(asked) and answer.flaw is not None and answer.flaw.code == NO_END
        self.client.note_end(asked, answer)
        return replace(answer, complete=True) if is_whole else answer

    async def _answer(self, request: ChatRequest) -> Answer:
        if self.found is not None:
            return await self.client.ask(self.found, request)
        answer, found = await answer_anywhere(self.client, self.backend, request)
        if answer.error is None or answer.error.status is not None:
            self.found = found
        return answer
