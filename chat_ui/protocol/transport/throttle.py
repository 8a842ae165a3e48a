"""The throttle of reading from the network: how long bytes gather, so that a busy process reads larger pieces instead
of falling behind, and how much is read before other tasks run.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Final

FIRST: Final = 0.01
"""Seconds for which bytes gather right after the first text of an answer on an idle loop: words come one by one."""
_LENGTHENS_OVER: Final = 0.5
SHORTEST: Final = 0.05
"""Seconds for which bytes gather on an idle loop, and the most by which an answer's end is late. During pauses of up to
twice as long, the end is looked for halfway.
"""
SHARED: Final = 0.1
"""Seconds for which bytes gather on a busier loop: as long as between two flushes, which show one reading each."""
LONGEST: Final = 0.2
"""Seconds for which bytes gather at most."""
_PER_LATENESS: Final = 8
_LITTLE: Final = 0.1
_BUSY: Final = 0.7
"""The part of a core that the loop's thread takes at light load, and that it should take at most."""
_LOOKED_AT_EVERY: Final = 0.25
_SMOOTHED_OVER: Final = 0.5
AT_ONCE: Final = 4 * 1024
"""Bytes of a body that are read before other tasks run: at worst, every two of them are a value to warn of."""


class Throttle:
    """The throttle of all readers of one event loop. It follows the load of the loop's thread, the lateness of its
    timers, and the time that pieces wait to be shown.

    Reading, rendering and showing cost by the piece more than by the byte. So the busier or later the loop is, the
    longer each reader waits.
    """

    def __init__(self) -> None:
        self._for_load = SHORTEST
        self._reading, self._showing = _Lateness(), _Lateness()
        self._looked, self._worked = time.monotonic(), time.thread_time()

    @property
    def lateness(self) -> float:
        """Seconds by which pieces are read and shown late; 0 without pieces."""
        return self._reading.seconds + self._showing.seconds

    @property
    def pause(self) -> float:
        """Seconds for which a reader would wait now, from `SHORTEST` to `LONGEST`."""
        return max(self._for_load, min(LONGEST, _PER_LATENESS * self.lateness))

    async def wait(self, seconds: float = _LENGTHENS_OVER, has_end: Callable[[], bool] = lambda: False) -> None:
        """Wait for the next reading, `seconds` after the first text; half of a long pause once `has_end` is true."""
        loop = asyncio.get_running_loop()
        pause = self.pause
        if pause <= SHARED:
            pause = lengthening(seconds, pause)
        over, due = loop.create_future(), loop.time() + pause
        timers = [loop.call_at(due, _end, over, lambda: True)]
        if pause > SHORTEST:
            timers.append(loop.call_at(due - pause / 2, _end, over, has_end))
        try:
            await over
        finally:
            for timer in timers:
                timer.cancel()
        self._reading.follow(max(0.0, loop.time() - due))
        self._look_at_load()

    def shown_late(self, seconds: float) -> None:
        """Note how long a piece that was ready to be shown waited for its turn."""
        self._showing.follow(seconds)

    def _look_at_load(self) -> None:
        passed = time.monotonic() - self._looked
        if passed < _LOOKED_AT_EVERY:
            return
        worked = time.thread_time() - self._worked
        self._looked += passed
        self._worked += worked
        # Half as many pieces are about half as much work.
        for_one = self.pause * worked / passed
        self._for_load = max(SHORTEST, min(SHARED, for_one / _LITTLE), min(LONGEST, for_one / _BUSY))


def _end(waiting: asyncio.Future[None], is_over: Callable[[], bool]) -> None:
    if not waiting.done() and is_over():
        waiting.set_result(None)


def lengthening(seconds: float, usual: float) -> float:
    """The pause so many `seconds` after the first text of an answer: it grows from `FIRST` to the `usual` one."""
    return min(usual, FIRST + (usual - FIRST) * seconds / _LENGTHENS_OVER)


class _Lateness:
    """By how many `seconds` something is late, smoothed over `_SMOOTHED_OVER`; it decays while nothing follows."""

    def __init__(self) -> None:
        self._late, self._followed = 0.0, time.monotonic()

    def follow(self, late: float) -> None:
        self._late = late + self._kept * (self._late - late)
        self._followed = time.monotonic()

    @property
    def seconds(self) -> float:
        return self._kept * self._late

    @property
    def _kept(self) -> float:
        return math.exp((self._followed - time.monotonic()) / _SMOOTHED_OVER)


def small_parts(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """`pieces` in parts of at most `AT_ONCE` bytes, between which other tasks run."""
    return (piece[at : at + AT_ONCE] for piece in pieces for at in range(0, len(piece) or 1, AT_ONCE))
