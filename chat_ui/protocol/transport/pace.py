"""How long readers let bytes gather, so that a busy process reads more at a time instead of falling behind, and how
much they read before others have their turn.
"""

from __future__ import annotations

import asyncio
import math
import ssl
import time
from collections.abc import AsyncIterator, Iterable
from typing import Any, Final

import httpcore

SHORTEST: Final = 0.05
"""Seconds for which bytes gather on an idle loop, so that the end of an answer is never later than that."""
LONGEST: Final = 0.2
"""Seconds for which bytes gather at most."""
_PER_LATENESS: Final = 8
_BUSY: Final = 0.7
"""The part of a core that the loop's thread should take at most."""
_LOOKED_AT_EVERY: Final = 0.25
"""Seconds."""
_SMOOTHED_OVER: Final = 0.5
"""Seconds."""
_MUCH: Final = 8 * 1024
"""Bytes of one reading after which more is read at once: the pieces are large enough."""
AT_ONCE: Final = 4 * 1024
"""Bytes of a body that are read before others have their turn: at worst, two of them are a value to be told of."""
_CLOSED_WITHIN: Final = 1.0
"""Seconds after a request within which a connection ends that was closed before it; a later end may be an answer."""


class Pace:
    """Shared by all readers of one event loop: what it goes by is how busy the loop's thread is, how late it wakes the
    readers, and how long what was read waits to be shown.

    Reading, rendering and showing cost by the piece more than by the byte, so the busier or later the loop is, the
    longer each reader waits before it reads again, until the pieces are few enough.
    """

    def __init__(self) -> None:
        self._for_load = SHORTEST
        self._for_reading, self._for_showing = _Pause(), _Pause()
        self._looked, self._worked = time.monotonic(), time.thread_time()

    @property
    def pause(self) -> float:
        """Seconds for which a reader would wait now, from `SHORTEST` to `LONGEST`."""
        return max(self._for_load, self._for_reading.seconds, self._for_showing.seconds)

    async def wait(self) -> None:
        """Return when it is time to read again."""
        loop = asyncio.get_running_loop()
        due = loop.time() + self.pause
        await asyncio.sleep(self.pause)
        self._for_reading.follow(loop.time() - due)
        self._look_at_load()

    def shown_late(self, seconds: float) -> None:
        """Take into account that what was ready to be shown waited so long for its turn."""
        self._for_showing.follow(seconds)

    def _look_at_load(self) -> None:
        passed = time.monotonic() - self._looked
        if passed < _LOOKED_AT_EVERY:
            return
        worked = time.thread_time() - self._worked
        self._looked += passed
        self._worked += worked
        # Half as many pieces are about half as much work.
        self._for_load = min(LONGEST, max(SHORTEST, self.pause * worked / passed / _BUSY))


class _Pause:
    """A pause that follows how late something is, smoothed over `_SMOOTHED_OVER`."""

    def __init__(self) -> None:
        self.seconds = SHORTEST
        self._followed = time.monotonic()

    def follow(self, late: float) -> None:
        now = time.monotonic()
        step = 1 - math.exp((self._followed - now) / _SMOOTHED_OVER)
        self._followed = now
        self.seconds += step * (min(LONGEST, max(SHORTEST, _PER_LATENESS * late)) - self.seconds)


class LeftConnectionError(httpcore.ReadError):
    """A connection that an earlier answer left open was closed as soon as something was sent on it.

    A server closes such a connection at any moment, and has read nothing of what was sent then.
    """


class PacedStream(httpcore.AsyncNetworkStream):
    """A connection that follows a pace in reading from the network, while one is set.

    What was read is handed on at once, however many chunks of HTTP it is made of. `patience` is how many seconds each
    reading waits for something to come, in place of what its caller says; one of httpcore's time-outs ends it. Reading
    raises `LeftConnectionError` where the connection turns out to be one that was left.
    """

    def __init__(self, stream: httpcore.AsyncNetworkStream) -> None:
        self._stream = stream
        self._is_plenty = self._is_closed = False
        self._has_answered = self._is_asked = False
        self._asked_at = 0.0
        self.pace: Pace | None = None
        self.patience: float | None = None

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109 - httpcore's interface
        """What has come, up to `max_bytes`; nothing at the end."""
        if self.pace is not None and not self._is_plenty:
            await self.pace.wait()
        try:
            data = await self._stream.read(max_bytes, timeout if self.patience is None else self.patience)
        except httpcore.ReadError as error:
            if self._was_left:
                raise LeftConnectionError from error
            raise
        if not data and self._was_left:
            raise LeftConnectionError
        if data:
            self._has_answered, self._is_asked = True, False
        self._is_plenty = len(data) >= _MUCH
        return data

    @property
    def _was_left(self) -> bool:
        """Whether the end that has come is that of a connection that was left open."""
        is_at_once = time.monotonic() - self._asked_at < _CLOSED_WITHIN
        return self._has_answered and self._is_asked and is_at_once and not self._is_closed

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109 - httpcore's interface
        """Send all of `buffer`."""
        self._is_asked, self._asked_at = True, time.monotonic()
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        """Close the connection."""
        self._is_closed = True
        await self._stream.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's interface
    ) -> httpcore.AsyncNetworkStream:
        """The same connection under TLS."""
        return PacedStream(await self._stream.start_tls(ssl_context, server_hostname, timeout))

    def get_extra_info(self, info: str) -> Any:
        """What is known of the connection underneath."""
        return self._stream.get_extra_info(info)


async def in_turn(pieces: Iterable[bytes]) -> AsyncIterator[bytes]:
    """The parts of `pieces` that may be read at once; whatever else the loop has to do has its turn between them."""
    is_first = True
    for piece in pieces:
        for at in range(0, len(piece) or 1, AT_ONCE):
            if not is_first:
                await asyncio.sleep(0)
            is_first = False
            yield piece[at : at + AT_ONCE]
