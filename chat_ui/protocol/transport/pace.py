"""The pace of readers: how long bytes gather, so that a busy process reads more at a time instead of falling behind,
and
how much is read before other tasks run.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator, Iterable
from typing import Final

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
AT_ONCE: Final = 4 * 1024
"""Bytes of a body that are read before other tasks run: at worst, every two of them are a value to warn of."""


class Pace:
    """The pace of all readers of one event loop. It follows the load of the loop's thread, the lateness of its timers,
    and the time that pieces wait to be shown.

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
        """Note how long a piece that was ready to be shown waited for its turn."""
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


async def in_turn(pieces: Iterable[bytes]) -> AsyncIterator[bytes]:
    """`pieces` in parts of at most `AT_ONCE` bytes; other tasks run in between."""
    is_first = True
    for piece in pieces:
        for at in range(0, len(piece) or 1, AT_ONCE):
            if not is_first:
                await asyncio.sleep(0)
            is_first = False
            yield piece[at : at + AT_ONCE]
