"""Clocks that a test sets."""

from __future__ import annotations

from typing import Final

from chat_ui.conversations.steady_clock import SteadyClock

NOW: Final = 1_800_000_000.0
"""The wall clock of a test as it begins, in seconds since 1970."""


class Clocks:
    """A wall clock and a monotonic one, and the clock that is made of them."""

    def __init__(self, wall: float = NOW) -> None:
        self.wall, self.monotonic = wall, 1000.0
        self.steady = SteadyClock(lambda: self.wall, lambda: self.monotonic)

    def pass_by(self, seconds: float) -> None:
        """Have so many seconds pass by both clocks."""
        self.wall += seconds
        self.monotonic += seconds
