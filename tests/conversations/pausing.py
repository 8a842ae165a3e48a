"""An agent in place of a backend, which pauses as it is told."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from chat_ui.conversations.conversation import Turn
from chat_ui.conversations.generations import local
from chat_ui.protocol.answers.pause import Decision
from chat_ui.protocol.backends.backend import Backend, ChatRequest
from chat_ui.protocol.events import THREAD, Event, Interrupt, Json, Pause, SessionState, TextDelta
from tests.timeouts import TIMEOUT

APPROVED, DENIED = Decision("i-1", "approved"), Decision("i-1", "denied", reason="Not today.")
BACKEND = Backend("http://127.0.0.1:1/agent")
DONE: tuple[Event, ...] = (TextDelta("Sent."),)


def pause(name: str = "i-1", kept: Json = "kept", **values: Any) -> Pause:
    told = {"tool": "send_email", "arguments": {"to": "ann@example.com"}, "may": frozenset({"reason"}), **values}
    return Pause("ag-ui", (Interrupt(name, **told),), kept)


def pausing(text: str = "Let me see.", name: str = "i-1", **values: Any) -> tuple[Event, ...]:
    """The events of an answer that pauses in its thread."""
    return TextDelta(text), SessionState(THREAD, {THREAD: f"thread-{name}"}), pause(name, **values)


async def ended(turn: Turn) -> Turn:
    await asyncio.wait_for(turn.generation.wait_for_end(), TIMEOUT)
    return turn


class Agent:
    """Gives its replies in turn. `on_decision` is awaited as decisions arrive."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, *replies: tuple[Event, ...]) -> None:
        self.replies = list(replies)
        self.questions: list[ChatRequest] = []
        self.decisions: list[ChatRequest] = []
        self.on_decision: Callable[[], Awaitable[object]] | None = None
        monkeypatch.setattr(local, "ask_with_fallback", self._ask)
        monkeypatch.setattr(local, "ask_there", self._decide)

    async def _ask(self, _targets: Any, request: ChatRequest, take: Callable[[Event], None], *_: Any, **__: Any) -> Any:
        self.questions.append(request)
        return self._reply(take)

    async def _decide(self, _client: Any, _backend: Any, request: ChatRequest, take: Any, **_: Any) -> Backend:
        self.decisions.append(request)
        if self.on_decision is not None:
            await self.on_decision()
        return self._reply(take)

    def _reply(self, take: Callable[[Event], None]) -> Backend:
        for event in self.replies.pop(0):
            take(event)
        return BACKEND
