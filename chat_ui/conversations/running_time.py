"""Time for which the event loop runs: an overloaded process is not a dead database."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

_ROUNDS: Final = 50
"""Rounds of a loop, at least, within a bound, which read the arrived data meanwhile."""
_NAPS: Final = 10


async def sleep(seconds: float) -> None:
    """As `asyncio.sleep`, but each round of the loop counts at most a tenth of it."""
    for _ in range(_NAPS):
        await asyncio.sleep(seconds / _NAPS)


@asynccontextmanager
async def within(seconds: float | None) -> AsyncIterator[None]:
    """As `asyncio.timeout`, but each round of the loop counts at most a fiftieth of it.

    Raises:
        TimeoutError: the seconds are over.
    """
    loop = asyncio.get_running_loop()
    counting: asyncio.TimerHandle | None = None

    def count(left: int) -> None:
        nonlocal counting
        if left > 0:
            counting = loop.call_later(step, count, left - 1)
        else:
            waiting.reschedule(0)

    async with asyncio.timeout(None) as waiting:
        if seconds is not None:
            step = seconds / _ROUNDS
            count(_ROUNDS if seconds > 0 else 0)
        try:
            yield
        finally:
            if counting is not None:
                counting.cancel()
