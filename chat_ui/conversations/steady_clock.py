"""The wall clock, and whether data may be deleted by it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

JUMP_SECONDS: Final = 3600.0
"""Seconds by which the wall clock may leave the monotonic one."""
GAP_SECONDS: Final = 2 * 86400.0
"""Seconds between the newest written date and a start, at most."""
STEADY_SECONDS: Final = 3600.0
"""Seconds for which both clocks agree before data is deleted by date again."""


class SteadyClock:
    """The clocks `wall`, in seconds since 1970, and `monotonic`.

    Data may be deleted by date once the wall clock agrees with the written dates, or once both clocks have agreed for
    `STEADY_SECONDS`. After a jump of the wall clock they have to agree for that long again.
    """

    def __init__(self, wall: Callable[[], float] = time.time, monotonic: Callable[[], float] = time.monotonic) -> None:
        self.wall = wall
        self.monotonic = monotonic
        self._lead = wall() - monotonic()
        self._doubted_at: float | None = monotonic()

    def compare(self, written: float | None) -> None:
        """Trust the wall clock if the newest date that was written before a start is near it, or missing."""
        if written is None or -JUMP_SECONDS <= self.wall() - written <= GAP_SECONDS:
            self._doubted_at = None

    def date(self) -> float | None:
        """The wall clock's seconds since 1970; None while deletion by date is not safe."""
        wall, now = self.wall(), self.monotonic()
        if abs(wall - now - self._lead) > JUMP_SECONDS:
            self._lead, self._doubted_at = wall - now, now
        is_steady = self._doubted_at is None or now - self._doubted_at >= STEADY_SECONDS
        return wall if is_steady else None
