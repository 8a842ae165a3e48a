"""How long readers let bytes gather, so that a busy process reads more at a time instead of falling behind, and how
much they read before others have their turn.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncIterator, Iterable
from typing import Any, Final

import httpcore

SHORTEST: Final = 0.05
"""Seconds for which bytes gather on an idle loop, so that the end of an answer is never later than that."""
LONGEST: Final = 0.2
"""Seconds for which bytes gather at most."""
_PER_LATENESS: Final = 8
_SMOOTHING: Final = 0.1
_MUCH: Final = 8 * 1024
"""Bytes of one reading after which more is read at once: the pieces are large enough."""
AT_ONCE: Final = 4 * 1024
"""Bytes of a body that are read before others have their turn: at worst, two of them are a value to be told of."""


class Pace:
    """Shared by all readers of one event loop: what it goes by is how late the loop wakes them.

    Reading, rendering and showing cost by the piece more than by the byte, so the later the loop is, the longer each
    reader waits before it reads again, until the pieces are few enough.
    """

    def __init__(self) -> None:
        self._pause = SHORTEST

    @property
    def pause(self) -> float:
        """Seconds for which a reader would wait now, from `SHORTEST` to `LONGEST`."""
        return self._pause

    async def wait(self) -> None:
        """Return when it is time to read again."""
        loop = asyncio.get_running_loop()
        due = loop.time() + self.pause
        await asyncio.sleep(self.pause)
        wanted = _PER_LATENESS * (loop.time() - due)
        self._pause += _SMOOTHING * (min(LONGEST, max(SHORTEST, wanted)) - self._pause)


class PacedStream(httpcore.AsyncNetworkStream):
    """A connection that follows a pace in reading from the network, while one is set.

    What was read is handed on at once, however many chunks of HTTP it is made of. `patience` is how many seconds each
    reading waits for something to come, in place of what its caller says; one of httpcore's time-outs ends it.
    """

    def __init__(self, stream: httpcore.AsyncNetworkStream) -> None:
        self._stream = stream
        self._is_plenty = False
        self.pace: Pace | None = None
        self.patience: float | None = None

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109 - httpcore's interface
        """What has come, up to `max_bytes`; nothing at the end."""
        if self.pace is not None and not self._is_plenty:
            await self.pace.wait()
        data = await self._stream.read(max_bytes, timeout if self.patience is None else self.patience)
        self._is_plenty = len(data) >= _MUCH
        return data

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109 - httpcore's interface
        """Send all of `buffer`."""
        await self._stream.write(buffer, timeout)

    async def aclose(self) -> None:
        """Close the connection."""
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
