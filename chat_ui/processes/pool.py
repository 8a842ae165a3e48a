"""Work on foreign input in processes beside the server: it costs other people neither time nor memory.

Python runs one thread at a time, so a thread beside the event loop still takes turns with it. A process does not, can
be ended in the middle of its work, and gives its memory back. Arguments and results are pickled, and the language goes
with them. (`anyio.to_process` runs the server's main module again in each process, which the module that starts Reflex
does not survive.)
"""

from __future__ import annotations

import asyncio
import os
import pickle
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final, TypeVar, TypeVarTuple
from weakref import WeakKeyDictionary, WeakValueDictionary

from chat_ui.languages.translation import current_language
from chat_ui.processes.worker import HEAD, message

T = TypeVar("T")
Arguments = TypeVarTuple("Arguments")

AT_ONCE: Final = 2
"""Functions that run at once; further ones wait."""
SECONDS: Final = 10.0
"""Seconds of processor time after which a function is ended: wall time depends on how busy the machine is."""
_CLOCK: Final = 6
"""Times as long that a function may take in wall time."""
MEMORY: Final = 1024 * 1024 * 1024
"""Bytes of address space that a process may have."""
_ENVIRONMENT: Final = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "TZ")
_WRITTEN_TOGETHER: Final = 1024 * 1024
_CALLS: Final = 200
"""Functions after which a process is replaced, so that it gives back what they left."""


class TooCostlyError(Exception):
    """A function was ended because it took longer, or needed more memory, than it may."""


class Processes:
    """Runs functions in processes: at most `at_once`, and one at a time for each person."""

    def __init__(self, *, at_once: int = AT_ONCE, seconds: float = SECONDS, memory: int = MEMORY) -> None:
        """Allow each function so many `seconds` of processor time, and `memory` bytes of address space."""
        self._at_once = at_once
        self._seconds = seconds
        self._memory = memory
        self._limiter = asyncio.Semaphore(at_once)
        self._idle: WeakKeyDictionary[asyncio.AbstractEventLoop, list[_Worker]] = WeakKeyDictionary()
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def run(
        self, person: str, function: Callable[[*Arguments], T], *arguments: *Arguments, seconds: float | None = None
    ) -> T:
        """The result of `function`, a function of a module, for these arguments.

        Raises:
            TooCostlyError: it took longer than `seconds`, or its memory was not enough.
        """
        turn = self._turns.setdefault(person, asyncio.Lock())
        async with turn, self._limiter:
            idle = self._idle.setdefault(asyncio.get_running_loop(), [])
            worker = idle.pop() if idle else await _Worker.start(self._memory)
            most = seconds or self._seconds
            try:
                async with asyncio.timeout(_CLOCK * most):
                    has_returned, value = await worker.call(function, arguments, most)
            except (TimeoutError, EOFError, OSError) as error:
                await worker.end()
                raise TooCostlyError from error
            except BaseException:
                await worker.end()
                raise
            if worker.calls < _CALLS and not isinstance(value, MemoryError):
                idle.append(worker)
            else:
                await worker.end()
        if has_returned:
            result: T = value
            return result
        if isinstance(value, MemoryError):
            raise TooCostlyError from value
        raise value

    async def warm(self, function: Callable[[*Arguments], object], *arguments: *Arguments) -> None:
        """Start the processes, each with a call of `function`, so that no later call waits for its imports."""
        await asyncio.gather(*(self.run(f"warming {number}", function, *arguments) for number in range(self._at_once)))

    async def end(self) -> None:
        """End the processes that nothing runs in."""
        for worker in self._idle.pop(asyncio.get_running_loop(), []):
            await worker.end()


class _Worker:
    def __init__(self, process: Process) -> None:
        self._process = process
        self.calls = 0

    @classmethod
    async def start(cls, memory: int) -> _Worker:
        command = (sys.executable, "-m", "chat_ui.processes.worker", str(memory))
        # A worker needs no keys from the environment.
        known = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
        # A thread of OpenBLAS takes address space on every processor there is, and one is enough.
        env = {**known, "OPENBLAS_NUM_THREADS": "1", "PYTHONPATH": os.pathsep.join(sys.path)}
        return cls(await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, env=env))

    async def call(
        self, function: Callable[..., object], arguments: tuple[object, ...], seconds: float
    ) -> tuple[bool, Any]:
        requests, answers = self._process.stdin, self._process.stdout
        assert requests is not None  # noqa: S101 - both are pipes
        assert answers is not None  # noqa: S101
        self.calls += 1
        language = current_language()
        for part in message(((language.tag, language.file), function, arguments, seconds)):
            # Bytes that the pipe does not take at once are copied, so they are written in small portions.
            for start in range(0, len(part), _WRITTEN_TOGETHER):
                requests.write(part[start : start + _WRITTEN_TOGETHER])
                await requests.drain()
        length = int.from_bytes(await answers.readexactly(HEAD))
        found: tuple[bool, Any] = pickle.loads(await answers.readexactly(length))  # noqa: S301 - our own process's
        return found

    async def end(self) -> None:
        with suppress(ProcessLookupError):
            self._process.kill()
        await self._process.wait()
