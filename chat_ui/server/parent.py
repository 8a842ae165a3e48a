"""The process that started this one as a worker: noticing its end."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
from typing import Final

_LOOK_SECONDS: Final = 0.5


async def wait_until_orphaned() -> None:
    """Return once the process that started this one as its worker is gone; never where this is no worker.

    A parent that is killed sends its workers no signal. They would go on serving beside their replacement.
    """
    parent = multiprocessing.parent_process()
    while parent is None or os.getppid() == parent.pid:  # noqa: ASYNC110 - the system sends no signal
        await asyncio.sleep(_LOOK_SECONDS)
