"""Playing an exchange: each reading at its time.

The times are those of one clock from the beginning on, so that what is late once delays nothing that follows.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncGenerator
from types import TracebackType
from typing import Final, Self
from weakref import WeakSet

from chat_ui.protocol.translatable import msg
from chat_ui.recordings.recording import RecordedExchange, Recording
from chat_ui.recordings.recording_format import NO_CONNECTION, NOTHING_CAME, Ending, Reading, RecordingError

SLOWEST: Final = 0.25
FASTEST: Final = 8.0


class CutShortError(Exception):
    """The recorded answer ended here without its end."""


class ResetByPeerError(CutShortError):
    """The connection of the recorded answer was reset here."""


class NotReachedError(CutShortError):
    """No connection to the recorded backend could be made."""


class NothingCameError(CutShortError):
    """Here the recorded answer was no longer waited for, as nothing came."""


class Player:
    """Plays exchanges at `speed`, from 0.25 to 8 or without waiting (`math.inf`), which may change while they play. No
    pause is longer than `longest_pause` seconds of the recording.

    Raises:
        RecordingError: the speed is none of these.
    """

    def __init__(self, speed: float = 1.0, longest_pause: float | None = None) -> None:
        self._speed = _checked(speed)
        self._longest_pause = math.inf if longest_pause is None else longest_pause
        self._playing: WeakSet[Playback] = WeakSet()

    @property
    def speed(self) -> float:
        """How many seconds of the recording pass in one."""
        return self._speed

    @speed.setter
    def speed(self, speed: float) -> None:
        self._speed = _checked(speed)
        for playback in self._playing:
            playback.change_speed(speed)

    def skip(self) -> None:
        """Give out the rest of what plays now without waiting."""
        for playback in self._playing:
            playback.skip()

    def play(self, recording: Recording, exchange: RecordedExchange) -> Playback:
        """The body of an exchange, which begins to play now. It is iterated over within `async with`."""
        return Playback(recording.readings(exchange), exchange, self._speed, self._longest_pause, self._playing)


def _checked(speed: float) -> float:
    if not (SLOWEST <= speed <= FASTEST or speed == math.inf):
        raise RecordingError(msg("A recording plays at a speed from 0.25 to 8."))
    return speed


class Playback:
    """One exchange as it plays: an iterator over its readings, which raises `CutShortError` where it did not end with
    its whole answer.
    """

    def __init__(
        self,
        items: AsyncGenerator[Reading | Ending, None],
        exchange: RecordedExchange,
        speed: float,
        longest_pause: float,
        playing: WeakSet[Playback],
    ) -> None:
        self._items = items
        self._exchange = exchange
        self._longest_pause = longest_pause
        self._playing = playing
        self._loop = asyncio.get_running_loop()
        self._speed = speed
        self._recorded, self._at = 0.0, self._loop.time()
        """A time of the recording and when it was reached, or is to be."""
        self._place = 0.0
        """The time of the recording that was played last; long pauses are cut off from it."""
        self._changed = asyncio.Event()
        self._next: Reading | Ending | None = None
        self._is_skipped = False
        playing.add(self)

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
        """Play no longer."""
        self._playing.discard(self)
        await self._items.aclose()

    def change_speed(self, speed: float) -> None:
        """Play at another speed from now on, unless the rest is skipped."""
        if not self._is_skipped:
            now = self._loop.time()
            self._recorded = self._place if self._speed == math.inf else self._recorded + (now - self._at) * self._speed
            self._at, self._speed = now, speed
            self._changed.set()

    def skip(self) -> None:
        """Give out the rest without waiting."""
        self.change_speed(math.inf)
        self._is_skipped = True

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
        """Return when that time of the recording has come."""
        gap = seconds - self._place
        if gap > self._longest_pause:
            self._recorded += gap - self._longest_pause
        self._place = seconds
        while (wait := self._seconds_to(seconds)) > 0:
            self._changed.clear()
            try:
                async with asyncio.timeout(wait):
                    await self._changed.wait()
            except TimeoutError:
                return

    def _seconds_to(self, seconds: float) -> float:
        """Until that time of the recording comes."""
        if self._speed == math.inf:
            return 0.0
        return self._at + (seconds - self._recorded) / self._speed - self._loop.time()

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
