"""Full garbage collections at times when nobody waits for an answer.

Each looks at everything that lives and stops the process for that: 0.17 s with two hundred conversations, every five
seconds by Python's own rule, for next to nothing found. The collections of what is young, a millisecond each, stay as
they are.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

EVERY: Final = 30.0
"""Seconds between two full collections, where nobody waits."""
MOST_POSTPONED: Final = 20
"""How often in a row one is put off because somebody waits."""
_NEVER: Final = 1_000_000


@asynccontextmanager
async def full_collections_when_idle(is_busy: Callable[[], bool], *, every: float = EVERY) -> AsyncIterator[None]:
    """Have what lives now never looked at again, and what comes later while `is_busy` says no."""
    young, middle, old = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(young, middle, _NEVER)
    collecting = asyncio.create_task(_collect(is_busy, every), name="collecting garbage")
    try:
        yield
    finally:
        collecting.cancel()
        gc.set_threshold(young, middle, old)
        gc.unfreeze()


async def _collect(is_busy: Callable[[], bool], every: float) -> None:
    postponed = 0
    while True:
        await asyncio.sleep(every)
        if is_busy() and postponed < MOST_POSTPONED:
            postponed += 1
            continue
        postponed = 0
        gc.collect()
