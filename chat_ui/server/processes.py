"""Work on foreign input in processes beside the server, so that it costs nobody else time or memory.

Python runs the code of one thread at a time, so that a thread beside the event loop still takes turns with it. A
process does not, can be ended in the middle of whatever it does, and gives its memory back. `anyio.to_process` keeps
the processes; what a function takes and returns is pickled.
"""

from __future__ import annotations

import asyncio
import resource
import sys
from collections.abc import Callable
from typing import Final, TypeVar, TypeVarTuple
from weakref import WeakValueDictionary

from anyio import BrokenWorkerProcess, CapacityLimiter, to_process

T = TypeVar("T")
Arguments = TypeVarTuple("Arguments")

AT_ONCE: Final = 2
"""How many functions run at once; further ones wait."""
SECONDS: Final = 10.0
"""Seconds after which a function is ended."""
MEMORY: Final = 1024 * 1024 * 1024
"""Bytes of address space that a process may have."""


class TooCostlyError(Exception):
    """A function was ended because it took longer, or needed more memory, than it may."""


class Processes:
    """Runs functions in processes: at most `at_once`, and one at a time for each person."""

    def __init__(self, *, at_once: int = AT_ONCE, seconds: float = SECONDS, memory: int = MEMORY) -> None:
        """Allow each function so many `seconds`, and `memory` bytes of address space."""
        self._at_once = at_once
        self._seconds = seconds
        self._memory = memory
        self._limiter: CapacityLimiter | None = None
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def run(
        self, person: str, function: Callable[[*Arguments], T], *arguments: *Arguments, seconds: float | None = None
    ) -> T:
        """What `function`, a function of a module, returns for these arguments.

        Raises:
            TooCostlyError: it took longer than `seconds`, or its memory was not enough.
        """
        if self._limiter is None:
            self._limiter = CapacityLimiter(self._at_once)
        # A new process runs the file of the main module, and that of granian would start another server.
        sys.modules["__main__"].__file__ = __file__
        turn = self._turns.setdefault(person, asyncio.Lock())
        async with turn, self._limiter:
            try:
                async with asyncio.timeout(seconds or self._seconds):
                    return await to_process.run_sync(
                        _within, self._memory, function, arguments, cancellable=True, limiter=CapacityLimiter(1)
                    )
            except (TimeoutError, MemoryError, BrokenWorkerProcess) as error:
                raise TooCostlyError from error


def _within(memory: int, function: Callable[[*Arguments], T], arguments: tuple[*Arguments]) -> T:
    resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
    return function(*arguments)
