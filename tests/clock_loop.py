"""Event loops with their own clocks: a loop that skips waits, and a loop whose clock runs only while it does."""

import asyncio
import selectors
from collections.abc import Awaitable, Callable
from typing import Any, Final, TypeVar
from weakref import WeakSet

T = TypeVar("T")


class _Waiting(selectors.DefaultSelector):
    """Advances the loop's clock in place of waiting."""

    moment = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        self.moment += timeout or 0.0
        return super().select(0)


class ClockLoop(asyncio.SelectorEventLoop):
    """An asyncio loop with that clock, for work that waits only for time."""

    def __init__(self) -> None:
        self._waiting = _Waiting()
        super().__init__(self._waiting)

    def time(self) -> float:
        return self._waiting.moment

    def be_busy(self, seconds: float) -> None:
        """Let time pass, as a busy loop does."""
        self._waiting.moment += seconds


def on_a_clock(run: Callable[[], Awaitable[T]]) -> T:
    loop = ClockLoop()
    try:
        return loop.run_until_complete(run())  # type: ignore[arg-type]
    finally:
        loop.close()


LONGEST_STEP: Final = 0.05
"""Seconds that pass at most between two looks at the clock of a steady loop."""


class SteadyLoop(asyncio.SelectorEventLoop):
    """An asyncio loop whose clock goes on by `LONGEST_STEP` at most, so that a paused machine causes no timeout.

    The loop ends its child processes at its end. Otherwise garbage collection would find them in another test, and fail
    it (https://github.com/python/cpython/issues/106905).
    """

    def __init__(self) -> None:
        self._looked_at = self._now = super().time()
        self._processes: WeakSet[asyncio.SubprocessTransport] = WeakSet()
        super().__init__(_Brief())

    async def _make_subprocess_transport(self, *arguments: Any, **options: Any) -> asyncio.SubprocessTransport:
        process: asyncio.SubprocessTransport
        process = await super()._make_subprocess_transport(*arguments, **options)  # type: ignore[misc]
        self._processes.add(process)
        return process

    def close(self) -> None:
        for process in [*self._processes]:
            process.close()
            self.run_until_complete(process._wait())  # type: ignore[attr-defined]
        super().close()

    def time(self) -> float:
        """Seconds by the clock of this loop, at most the machine's."""
        at = super().time()
        self._now += min(at - self._looked_at, LONGEST_STEP)
        self._looked_at = at
        return self._now


class _Brief(selectors.DefaultSelector):
    """Waits for at most `LONGEST_STEP`."""

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        return super().select(None if timeout is None else min(timeout, LONGEST_STEP))
