"""A bound by the time for which the event loop runs: an overloaded process is not a dead database."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

_STEP: Final = 0.02


@asynccontextmanager
async def within(seconds: float | None) -> AsyncIterator[None]:
    """As `asyncio.timeout`, where a loop counts no more than `_STEP` seconds each time that it comes round.

    Raises:
        TimeoutError: the seconds are over.
    """
    loop = asyncio.get_running_loop()
    counting: asyncio.TimerHandle | None = None

    def count(left: float) -> None:
        nonlocal counting
        if left > 0:
            counting = loop.call_later(_STEP, count, left - _STEP)
        else:
            waiting.reschedule(0)

    async with asyncio.timeout(None) as waiting:
        if seconds is not None:
            count(seconds)
        try:
            yield
        finally:
            if counting is not None:
                counting.cancel()
