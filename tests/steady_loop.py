"""An event loop for which time passes only while it runs: a machine that stands still for a moment ends no bound."""

import asyncio
import selectors
from typing import Final

LONGEST_STEP: Final = 0.05
"""Seconds that pass at most between two looks at the clock."""


class SteadyLoop(asyncio.SelectorEventLoop):
    """asyncio's loop. Between two looks at its clock, `LONGEST_STEP` passes at most."""

    def __init__(self) -> None:
        self._looked_at = self._now = super().time()
        super().__init__(_Selector())

    def time(self) -> float:
        """Seconds by the clock of this loop, which is never ahead of the machine's."""
        at = super().time()
        self._now += min(at - self._looked_at, LONGEST_STEP)
        self._looked_at = at
        return self._now


class _Selector(selectors.DefaultSelector):
    """Waits so briefly that all of it counts."""

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        return super().select(None if timeout is None else min(timeout, LONGEST_STEP))
