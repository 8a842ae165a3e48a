"""Playing an exchange: each reading at its time.

The times are those of one clock from the beginning on, so that what is late once delays nothing that follows.
"""

from __future__ import annotations

import asyncio
import math
from types import TracebackType
from typing import Self

from chat_ui.recordings.recording import RecordedExchange, Recording
from chat_ui.recordings.recording_format import NO_CONNECTION, NOTHING_CAME, Ending, Reading


class CutShortError(Exception):
    """The recorded answer ended here without its end."""


class ResetByPeerError(CutShortError):
    """The connection of the recorded answer was reset here."""


class NotReachedError(CutShortError):
    """No connection to the recorded backend could be made."""


class NothingCameError(CutShortError):
    """Here the recorded answer was no longer waited for, as nothing came."""


class Playback:
    """The body of an exchange, which begins to play now: an iterator over its readings, which raises `CutShortError`
    where it did not end with its whole answer. It is iterated over within `async with`.

    `speed` seconds of the recording pass in one; with `math.inf` it plays without waiting. No pause is longer than
    `longest_pause` seconds of the recording.
    """

    def __init__(
        self, recording: Recording, exchange: RecordedExchange, *, speed: float = 1.0, longest_pause: float = math.inf
    ) -> None:
        self._items = recording.readings(exchange)
        self._exchange = exchange
        self._speed = speed
        self._longest_pause = longest_pause
        self._loop = asyncio.get_running_loop()
        self._began = self._loop.time()
        self._place = 0.0
        """The time of the recording that was played last."""
        self._cut_off = 0.0
        """Seconds of pauses that were too long."""
        self._next: Reading | Ending | None = None

    @property
    def stretch(self) -> float:
        """How many times as long as in the recording something takes, 1 at least."""
        return max(1.0, 1 / self._speed)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, exc_type: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        await self._items.aclose()

    async def answered(self) -> None:
        """Return when the status and the headers came.

        Raises:
            CutShortError: none did.
        """
        if self._exchange.status is None:
            await self._until(self._exchange.seconds)
            self._raise_end(Ending(self._exchange.seconds, self._exchange.how, self._exchange.why))
        await self._until(self._exchange.answered)

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> bytes:
        item = await self._peek()
        await self._until(item.seconds)
        self._next = None
        if isinstance(item, Reading):
            return item.data
        await self.aclose()
        self._raise_end(item)
        raise StopAsyncIteration

    async def due(self) -> bytes:
        """The readings whose time has come, in one; empty where none has."""
        found: list[bytes] = []
        while isinstance(item := await self._peek(), Reading) and self._seconds_to(item.seconds) <= 0:
            self._place, self._next = item.seconds, None
            found.append(item.data)
        return b"".join(found)

    async def _peek(self) -> Reading | Ending:
        if self._next is None:
            self._next = await anext(self._items)
        return self._next

    async def _until(self, seconds: float) -> None:
        self._cut_off += max(0.0, seconds - self._place - self._longest_pause)
        self._place = seconds
        if (wait := self._seconds_to(seconds)) > 0:
            await asyncio.sleep(wait)

    def _seconds_to(self, seconds: float) -> float:
        return self._began + (seconds - self._cut_off) / self._speed - self._loop.time()

    @staticmethod
    def _raise_end(item: Ending) -> None:
        if item.how == "reset":
            raise ResetByPeerError
        if item.how == "stopped" and item.why == NOTHING_CAME:
            raise NothingCameError
        if item.how == "cut" and item.why == NO_CONNECTION:
            raise NotReachedError
        if item.how != "end":
            raise CutShortError
