from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any, Final

AGAIN: Final = 0.5
"""Seconds after which a task that goes on is cancelled once more."""


async def cancel_all(tasks: Iterable[asyncio.Task[Any]]) -> None:
    """Cancel these tasks and return at their end.

    A library that is cancelled in a reply may take that for a lost connection and go on: its task is cancelled again.
    """
    left = set(tasks)
    while left:
        for task in left:
            task.cancel()
        over, left = await asyncio.wait(left, timeout=AGAIN)
        await asyncio.gather(*over, return_exceptions=True)
