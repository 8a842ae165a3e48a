"""A generation: one answer being made, as a task of the server.

It belongs to the server and not to a tab: it runs until the backend ends, somebody stops it or the server does,
whoever looks on. Tabs follow its text through `Generation.text_since` and its end through `Generation.ended`.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import aclosing
from enum import StrEnum
from typing import Final

from chat_ui.conversations.signal import Signal
from chat_ui.protocol.answer import Answer, AnswerBuilder
from chat_ui.protocol.backend import Backend
from chat_ui.protocol.client import Client
from chat_ui.protocol.events import ContextReceived, DialectSeen, ErrorInfo, Failed
from chat_ui.protocol.request import ChatRequest

logger = logging.getLogger(__name__)

TEXT_FIRST: Final = 0.02
"""Seconds by which the last text goes out before the structure says that there is no more: they travel separately."""


class Status(StrEnum):
    """Where a generation is, or how it ended."""

    RUNNING = "running"
    FINISHED = "finished"
    FAILED = "failed"
    STOPPED = "stopped"
    CUT_OFF = "cut_off"


class Generation:
    """One answer of a backend to one request, from the moment it is asked for.

    Its text only ever grows. `signal` announces every change; `on_structure` is called as well when more than text
    changed: context came, or it ended.
    """

    def __init__(
        self, generation_id: str, backend: Backend, request: ChatRequest, on_structure: Callable[[], None]
    ) -> None:
        self.id = generation_id
        self.backend = backend
        self.request = request
        self.started_at = time.time()
        self.status = Status.RUNNING
        self.signal = Signal()
        self.context_revision = 0
        self._on_structure = on_structure
        self._builder = AnswerBuilder()
        self._pieces: list[str] = []
        self._task: asyncio.Task[None] | None = None
        self._end = asyncio.Event()

    @property
    def ended(self) -> bool:
        """Whether nothing more will come."""
        return self.status is not Status.RUNNING

    @property
    def has_text(self) -> bool:
        """Whether any text of the answer is there."""
        return bool(self._pieces)

    @property
    def answer(self) -> Answer:
        """The answer so far."""
        return self._builder.answer()

    def text_since(self, piece: int) -> tuple[str, int]:
        """The text that came after the first `piece` pieces, and the number of pieces there are now."""
        return "".join(self._pieces[piece:]), len(self._pieces)

    async def wait_for_end(self) -> None:
        """Return once nothing more will come."""
        await self._end.wait()

    def start(self, client: Client) -> None:
        """Run as a task of this process.

        Raises:
            RuntimeError: it was started before.
        """
        if self._task is not None:
            raise RuntimeError("a generation starts once")
        self._task = asyncio.create_task(self._run(client), name=f"generation {self.id}")

    async def stop(self) -> None:
        """End it and close the connection to the backend; what came stays. Does nothing once it has ended."""
        if self._task is None or self.ended:
            return
        self._task.cancel()
        await asyncio.wait([self._task])

    async def _run(self, client: Client) -> None:
        status = Status.FAILED
        try:
            async with aclosing(client.stream(self.backend, self.request)) as events:
                async for event in events:
                    self._take(self._builder.add(event))
                    if isinstance(event, ContextReceived | DialectSeen):
                        self._context_changed()
                    self.signal.bump()
            self._take(self._builder.close())
            status = _outcome(self._builder.answer())
        except asyncio.CancelledError:
            self._take(self._builder.close())
            status = Status.STOPPED
        except Exception:
            # A fault of ours must not leave a page waiting for an answer that never ends.
            logger.exception("generation %s broke", self.id)
            self._take(self._builder.add(Failed(_OUR_FAULT)))
            self._take(self._builder.close())
        finally:
            self.status = status
            self._end.set()
            self.context_revision += 1
            self.signal.bump()
            asyncio.get_running_loop().call_later(TEXT_FIRST, self._on_structure)

    def _context_changed(self) -> None:
        self.context_revision += 1
        self._on_structure()

    def _take(self, released: str) -> None:
        if released:
            self._pieces.append(released)


_OUR_FAULT = ErrorInfo(
    message="Something in this page's server went wrong while reading the answer. Try again; if it happens again, "
    "the server's log says more.",
    code="internal",
)


def _outcome(answer: Answer) -> Status:
    if answer.error is not None:
        return Status.FAILED
    return Status.FINISHED if answer.complete else Status.CUT_OFF
