"""The process that started this one, and what becomes of this one without it."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
from typing import Final

_LOOK_SECONDS: Final = 0.5


async def wait_until_orphaned() -> None:
    """Return once the process that started this one as its worker is gone; never where none did.

    One that was killed tells its workers nothing. They would go on serving, beside whatever is started in its place.
    """
    parent = multiprocessing.parent_process()
    while parent is None or os.getppid() == parent.pid:  # noqa: ASYNC110 - the system sends no signal
        await asyncio.sleep(_LOOK_SECONDS)
