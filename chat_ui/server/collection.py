"""Full garbage collections once a minute, not as often as Python's own rule has them.

Each looks at everything that lives and stops the process for that: 0.17 s with two hundred conversations, by Python's
rule every five seconds under load, for next to nothing found. The collections of what is young, a millisecond each,
stay as they are, and what lives when the server starts is never looked at again.

What was freed is given back to the system then as well: after some answers of megabytes, the C library keeps a fifth of
what they took for later.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

EVERY: Final = 60.0
"""Seconds between two full collections."""
_NEVER: Final = 1_000_000


@asynccontextmanager
async def seldom_full_collections(*, every: float = EVERY) -> AsyncIterator[None]:
    """Have full collections at these times alone while the context lasts."""
    young, middle, old = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(young, middle, _NEVER)
    collecting = asyncio.create_task(_collect(every), name="collecting garbage")
    try:
        yield
    finally:
        collecting.cancel()
        gc.set_threshold(young, middle, old)
        gc.unfreeze()


async def _collect(every: float) -> None:
    while True:
        await asyncio.sleep(every)
        gc.collect()
        await asyncio.to_thread(_give_back)


def _give_back() -> None:
    """Give what the C library keeps of freed memory back to the system, where it can (glibc)."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)
