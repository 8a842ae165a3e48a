"""How long readers let bytes gather, so that a busy process reads more at a time instead of falling behind, and how
much they read before others have their turn.
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
"""Bytes of a body that are read before others have their turn: at worst, two of them are a value to be told of."""


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
    """The parts of `pieces` that may be read at once; whatever else the loop has to do has its turn between them."""
    is_first = True
    for piece in pieces:
        for at in range(0, len(piece) or 1, AT_ONCE):
            if not is_first:
                await asyncio.sleep(0)
            is_first = False
            yield piece[at : at + AT_ONCE]
