"""How long readers let bytes gather, so that a busy process reads more at a time instead of falling behind."""

from __future__ import annotations

import asyncio
from typing import Final

LONGEST: Final = 0.2
"""Seconds for which bytes gather at most."""
_UNNOTICED: Final = 0.004
"""Seconds of lateness that an event loop with little to do has as well."""
_PER_LATENESS: Final = 8
_SMOOTHING: Final = 0.1


class Pace:
    """Shared by all readers of one event loop: what it goes by is how late the loop wakes them.

    On an idle loop nobody waits. Reading costs by the piece more than by the byte, so the later the loop is, the longer
    each reader waits before it reads again, until the pieces are few enough.
    """

    def __init__(self) -> None:
        self._pause = 0.0

    @property
    def pause(self) -> float:
        """Seconds for which a reader would wait now, from 0 to `LONGEST`."""
        return self._pause if self._pause > _UNNOTICED else 0.0

    async def wait(self) -> None:
        """Return when it is time to read again."""
        loop = asyncio.get_running_loop()
        due = loop.time() + self.pause
        await asyncio.sleep(self.pause)
        late = max(0.0, loop.time() - due - _UNNOTICED)
        self._pause += _SMOOTHING * (min(LONGEST, _PER_LATENESS * late) - self._pause)
