"""A counter that others can wait on: the one way in which a change is announced inside this process."""

from __future__ import annotations

import asyncio


class Signal:
    """Counts changes and wakes everyone who waits for the next one.

    Waiting is by revision, not by message: a slow task sees one change where there were ten, and a task that looks at
    the state after waking cannot miss the last one.
    """

    __slots__ = ("_changed", "revision")

    def __init__(self) -> None:
        self.revision = 0
        self._changed: asyncio.Event | None = None

    def bump(self) -> None:
        """Record one change and wake all who wait."""
        self.revision += 1
        if self._changed is not None:
            self._changed.set()
            self._changed = None

    async def wait(self, seen: int) -> int:
        """Return the newest revision as soon as it is greater than `seen`."""
        while self.revision <= seen:
            if self._changed is None:
                self._changed = asyncio.Event()
            await self._changed.wait()
        return self.revision
