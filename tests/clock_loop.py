"""An event loop on a clock of its own, which moves on where another loop would wait."""

import asyncio
import selectors
from collections.abc import Awaitable, Callable
from typing import TypeVar

T = TypeVar("T")


class _Waiting(selectors.DefaultSelector):
    """Moves the clock of its loop on in place of waiting."""

    moment = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self.moment += timeout or 0.0
        return super().select(0)


class ClockLoop(asyncio.SelectorEventLoop):
    """asyncio's loop, with such a clock. It is for work that waits for nothing but time."""

    def __init__(self) -> None:
        self._waiting = _Waiting()
        super().__init__(self._waiting)

    def time(self) -> float:
        return self._waiting.moment

    def be_busy(self, seconds: float) -> None:
        """Let time pass as where something keeps the loop busy."""
        self._waiting.moment += seconds


def on_a_clock(run: Callable[[], Awaitable[T]]) -> T:
    loop = ClockLoop()
    try:
        return loop.run_until_complete(run())  # type: ignore[arg-type]
    finally:
        loop.close()
