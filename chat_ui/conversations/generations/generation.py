"""The interface of an answer: a `LocalGeneration` runs in this process, a `RemoteGeneration` does not."""

from __future__ import annotations

import asyncio
import time
from abc import ABC, abstractmethod

from chat_ui.conversations.records.records import Status
from chat_ui.protocol.answers.answer import Answer
from chat_ui.protocol.answers.streaming_text import StreamingText
from chat_ui.protocol.events import JsonObject


class Signal:
    """Counts changes and wakes all tasks that wait for the next one.

    Waiting is by revision, not by message: a slow task sees one change in place of ten, and a task that looks at the
    state after waking cannot miss the last one.
    """

    __slots__ = ("_changed", "revision")

    def __init__(self) -> None:
        self.revision = 0
        self._changed: asyncio.Event | None = None

    def bump(self) -> None:
        """Record one change and wake all waiting tasks."""
        self.revision += 1
        if self._changed is not None:
            self._changed.set()
            self._changed = None

    async def wait(self, seen: int) -> int:
        """Return the newest revision as soon as it is greater than `seen`."""
        while self.revision <= seen:
            if self._changed is None:
                self._changed = asyncio.Event()
            await self._changed.wait()
        return self.revision


class Generation(ABC):
    """An answer of a backend to the question of one person, its `owner`.

    The text grows; `text_revision` counts its replacements. `signal` announces every change; `context_revision` counts
    the changes other than text. `last_event_at` is the time of the backend's last event, by this process's monotonic
    clock. A generation that is not followed stays as it was read from the store.
    """

    def __init__(self, generation_id: str, owner: str, question: str, status: Status) -> None:
        self.id = generation_id
        self.owner = owner
        self.question = question
        self.status = status
        self.is_followed = True
        self.last_event_at = time.monotonic()
        self.signal = Signal()
        self.context_revision = 0
        self.text_revision = 0
        self._text = StreamingText()
        self._end = asyncio.Event()

    @property
    @abstractmethod
    def answer(self) -> Answer:
        """The answer so far."""

    @property
    @abstractmethod
    def asked_of(self) -> JsonObject:
        """The backend's memory, without credentials."""

    @property
    @abstractmethod
    def overrides(self) -> JsonObject:
        """The options that were sent, without credentials."""

    @property
    def ended(self) -> bool:
        """Whether nothing more will come."""
        return self.status is not Status.RUNNING

    def text_since(self, place: int) -> tuple[str, int]:
        """The text from that character on, and its current end."""
        return self._text.between(place, self._text.length), self._text.length

    async def wait_for_end(self) -> None:
        """Return at its end."""
        await self._end.wait()
