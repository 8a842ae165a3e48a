"""An event loop that is late by its clock, as if every step kept it busy."""

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from typing import Any

LATE = 0.8
"""Seconds between two turns of the loop, by its clock."""


class _Selector(selectors.DefaultSelector):
    """Waits for other processes, if any, regardless of timers."""

    def __init__(self, timeouts: float) -> None:
        super().__init__()
        self._timeout = timeouts
        self.rounds = 0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self.rounds += 1
        return super().select(0 if timeout is not None and timeout <= 0 else self._timeout)


class LateLoop(asyncio.SelectorEventLoop):
    """An asyncio loop with such a clock."""

    def __init__(self, timeouts: float) -> None:
        self._late = _Selector(timeouts)
        super().__init__(self._late)

    def time(self) -> float:
        """Seconds by the clock of this loop."""
        return LATE * self._late.rounds


def run_late(work: Callable[[], Coroutine[Any, Any, None]], timeouts: float = 0) -> None:
    with asyncio.Runner(loop_factory=lambda: LateLoop(timeouts)) as runner:
        runner.run(work())
