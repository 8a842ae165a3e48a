"""How long readers let bytes gather, so that a busy process reads more at a time instead of falling behind."""

from __future__ import annotations

import asyncio
from typing import Final

SHORTEST: Final = 0.05
"""Seconds for which bytes gather on an idle loop: steady to a reader, and each piece costs a browser a frame."""
LONGEST: Final = 0.2
"""Seconds for which bytes gather at most."""
_PER_LATENESS: Final = 8
_SMOOTHING: Final = 0.1


class Pace:
    """Shared by all readers of one event loop: what it goes by is how late the loop wakes them.

    Reading, rendering and showing cost by the piece more than by the byte, so the later the loop is, the longer each
    reader waits before it reads again, until the pieces are few enough.
    """

    def __init__(self) -> None:
        self._pause = SHORTEST

    @property
    def pause(self) -> float:
        """Seconds for which a reader would wait now, from `SHORTEST` to `LONGEST`."""
        return self._pause

    async def wait(self) -> None:
        """Return when it is time to read again."""
        loop = asyncio.get_running_loop()
        due = loop.time() + self.pause
        await asyncio.sleep(self.pause)
        wanted = _PER_LATENESS * (loop.time() - due)
        self._pause += _SMOOTHING * (min(LONGEST, max(SHORTEST, wanted)) - self._pause)
