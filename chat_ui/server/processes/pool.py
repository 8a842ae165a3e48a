"""Work on foreign input in processes beside the server: it costs other people neither time nor memory.

Python runs one thread at a time, so a thread beside the event loop still takes turns with it. A process does not, can
be ended in the middle of its work, and gives its memory back. Arguments and results are pickled; the language and the
check of claims are sent with them. (`anyio.to_process` runs the server's main module again in each process, which the
module that starts Reflex does not survive.)
"""

from __future__ import annotations

import asyncio
import os
import pickle
import sys
from asyncio.subprocess import PIPE, Process, create_subprocess_exec
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar, TypeVarTuple
from weakref import WeakKeyDictionary, WeakValueDictionary

from chat_ui.errors import NoPlaceError, TooCostlyError
from chat_ui.languages.translation import current_language
from chat_ui.protocol.recently_used import RecentlyUsed
from chat_ui.rendering import claim_check
from chat_ui.server.processes.caller import address_of_caller, while_served
from chat_ui.server.processes.worker import HEAD, message

T = TypeVar("T")
Arguments = TypeVarTuple("Arguments")

AT_ONCE: Final = 3
"""Functions that run at once; further ones wait."""
MOMENT: Final = 0.5
"""Seconds of processor time that a function may take in the last free process."""
SECONDS: Final = 10.0
"""Seconds of processor time after which a function is ended: wall time depends on the load of the machine."""
_CLOCK: Final = 20
"""The factor of that time for wall time."""
MEMORY: Final = 1024 * 1024 * 1024
"""Bytes of address space that a process may have."""
NICENESS: Final = 5
"""Above 0, so that the server comes first on a core that both want."""
_ENVIRONMENT: Final = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "TZ")
_WRITTEN_TOGETHER: Final = 1024 * 1024
_CALLS: Final = 200
"""Functions after which a process is replaced, to free their memory."""
_FIRST_MOMENT: Final = 4 * MOMENT
_HEAVY: Final = 512 * 1024
"""Weight from which on a call takes longer than a moment."""
_SERVED_BYTES: Final = 4 * 1024 * 1024

PLACES: Final = 32
"""Files that arrive or wait at once."""
PLACE_SECONDS: Final = 15.0
"""Seconds for which a file has its place, even if others of its address need one."""
READ_SECONDS: Final = 5.0
"""Seconds of processor time that reading one file may take."""
_UPLOADS_NICENESS: Final = 10
"""Above that of other processes, whose work comes before files."""


@dataclass(eq=False, slots=True)
class _Call:
    """A waiting or running function, for an address. `weight` is its order among the calls of that address. It
    `has_a_moment` in the last free process, and `is_long` if that was not enough.
    """

    address: str
    weight: int
    is_long: bool = False
    has_a_moment: bool = False
    turn: asyncio.Future[None] = field(default_factory=asyncio.Future)


class Processes:
    """Runs functions in processes: at most `at_once`, and one at a time for each person.

    The waiting address that has used the least time is next, so that neither many requests nor many cookies buy time.
    (Goyal, Vin, Cheng, "Start-time Fair Queuing", 1996.) The last free process is for short work: a function that takes
    longer than a `MOMENT` there begins again in one of the others.
    """

    def __init__(self, *, at_once: int = AT_ONCE, seconds: float = SECONDS, niceness: int = NICENESS) -> None:
        self._at_once = at_once
        self._seconds = seconds
        self._niceness = niceness
        self._waiting: list[_Call] = []
        self._running: list[_Call] = []
        self._served: RecentlyUsed[str, float] = RecentlyUsed(_SERVED_BYTES)
        """Seconds that each address has used; a new one begins at `_now`, like the current one."""
        self._now = 0.0
        self._idle: WeakKeyDictionary[asyncio.AbstractEventLoop, tuple[list[_Worker], list[_Worker]]]
        self._idle = WeakKeyDictionary()
        """The processes for all work, and the one for short work, which others would take and end."""
        self._turns: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def run(
        self,
        person: str,
        function: Callable[[*Arguments], T],
        *arguments: *Arguments,
        seconds: float | None = None,
        weight: int = 0,
    ) -> T:
        """The result of `function`, a function of a module, for these arguments. Work for a request ends with it.

        A function that takes longer than a `MOMENT` may be ended and begin again. Among calls of an address, that of
        the least `weight`, in bytes, is first.

        Raises:
            ClientDisconnect: the client of the request has gone.
            TooCostlyError: it took longer than `seconds`, or its memory was not enough.
        """
        turn = self._turns.setdefault(person, asyncio.Lock())
        most = seconds or self._seconds
        call = _Call(address_of_caller() or person, weight, is_long=weight >= _HEAVY)
        async with while_served(), turn:
            try:
                has_returned, value = await self._called(call, function, arguments, most)
            except TooCostlyError:
                if not call.has_a_moment or most <= MOMENT:
                    raise
                call = _Call(call.address, weight, is_long=True)
                has_returned, value = await self._called(call, function, arguments, most)
        if has_returned:
            result: T = value
            return result
        if isinstance(value, MemoryError):
            raise TooCostlyError from value
        raise value

    async def _called(
        self, call: _Call, function: Callable[..., object], arguments: tuple[object, ...], most: float
    ) -> tuple[bool, Any]:
        async with self._turn_of(call):
            idle = self._idle.setdefault(asyncio.get_running_loop(), ([], []))[call.has_a_moment]
            worker = idle.pop() if idle else await self._started(idle)
            try:
                async with asyncio.timeout(_CLOCK * most):
                    # The first call in a process loads modules for later ones.
                    moment = MOMENT if worker.calls else _FIRST_MOMENT
                    within = min(most, moment) if call.has_a_moment else most
                    has_returned, value = await worker.call(function, arguments, within)
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
        return has_returned, value

    @asynccontextmanager
    async def _turn_of(self, call: _Call) -> AsyncIterator[None]:
        self._waiting.append(call)
        self._give_turns()
        clock = asyncio.get_running_loop().time
        try:
            await call.turn
            began = clock()
            try:
                yield
            finally:
                # A moment was counted when it began.
                used = self._served.get(call.address) or self._now
                self._served.put(call.address, used + clock() - began - MOMENT, len(call.address))
        finally:
            (self._running if call in self._running else self._waiting).remove(call)
            self._give_turns()

    def _give_turns(self) -> None:
        while len(self._running) < self._at_once:
            for_all = max(self._at_once - 1, 1)
            has_a_moment = sum(not one.has_a_moment for one in self._running) >= for_all
            ready = [one for one in self._waiting if not (has_a_moment and one.is_long)]
            if not ready:
                return
            call = min(ready, key=lambda one: (self._used(one.address), one.weight))
            call.has_a_moment = has_a_moment
            self._waiting.remove(call)
            self._running.append(call)
            self._now = self._used(call.address)
            self._served.put(call.address, self._now + MOMENT, len(call.address))
            # A cancelled call gives its turn back at once.
            if not call.turn.done():
                call.turn.set_result(None)

    def _used(self, address: str) -> float:
        return max(self._served.get(address) or 0.0, self._now)

    async def _started(self, idle: list[_Worker]) -> _Worker:
        """A new process; if its caller leaves meanwhile, it is kept for the next one."""
        starting = asyncio.ensure_future(_Worker.start(self._niceness))
        try:
            return await asyncio.shield(starting)
        except asyncio.CancelledError:
            idle.append(await starting)
            raise

    async def warm(self, function: Callable[[*Arguments], object], *arguments: *Arguments) -> None:
        """Start the processes, each with a call of `function`, so that later calls do not wait for its imports."""
        await asyncio.gather(*(self.run(f"warming {number}", function, *arguments) for number in range(self._at_once)))

    async def end(self) -> None:
        """End the idle processes."""
        for idle in self._idle.pop(asyncio.get_running_loop(), ()):
            for worker in idle:
                await worker.end()


class Uploads(Processes):
    """Reads files in separate processes, and gives them `places`, which addresses share evenly."""

    def __init__(
        self, *, places: int = PLACES, seconds: float = READ_SECONDS, place_seconds: float = PLACE_SECONDS
    ) -> None:
        super().__init__(at_once=2, seconds=seconds, niceness=_UPLOADS_NICENESS)
        self._most = places
        self._place_seconds = place_seconds
        self._places: dict[asyncio.Timeout, tuple[str, float]] = {}
        """The address of each place, and the time of its beginning, the oldest first."""

    @asynccontextmanager
    async def place(self) -> AsyncIterator[None]:
        """A place in which a file arrives, waits and is read.

        If all are taken, the newest file of the address with the most makes room for a file of another one. Else the
        oldest file of the same address does, once it has had its time.

        Raises:
            NoPlaceError: all places are taken, or this one was needed.
        """
        address = address_of_caller()
        if len(self._places) >= self._most:
            self._make_room_for(address)
        try:
            async with asyncio.timeout(None) as until:
                self._places[until] = address, asyncio.get_running_loop().time()
                try:
                    yield
                finally:
                    self._places.pop(until, None)
        except TimeoutError:
            if until.expired():
                raise NoPlaceError from None
            raise

    def _make_room_for(self, address: str) -> None:
        now = asyncio.get_running_loop().time()
        counts = Counter(of for of, _ in self._places.values())
        fullest, count = counts.most_common(1)[0]
        if counts[address] + 1 < count:
            leaving = [place for place, (of, _) in self._places.items() if of == fullest][-1:]
        else:
            over = now - self._place_seconds
            leaving = [place for place, (of, since) in self._places.items() if of == address and since <= over][:1]
        if not leaving:
            raise NoPlaceError
        del self._places[leaving[0]]
        leaving[0].reschedule(now)


class _Worker:
    def __init__(self, process: Process) -> None:
        self._process = process
        self.calls = 0

    @classmethod
    async def start(cls, niceness: int) -> _Worker:
        command = (sys.executable, "-m", "chat_ui.server.processes.worker", str(MEMORY), str(niceness))
        # Workers do not need keys from the environment.
        known = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
        env = {**known, "PYTHONPATH": os.pathsep.join(sys.path)}
        # Ctrl+C reaches a session of a terminal. The server ends its workers itself.
        return cls(await create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE, env=env, start_new_session=True))

    async def call(
        self, function: Callable[..., object], arguments: tuple[object, ...], seconds: float
    ) -> tuple[bool, Any]:
        requests, answers = self._process.stdin, self._process.stdout
        assert requests is not None  # noqa: S101 - both are pipes
        assert answers is not None  # noqa: S101
        self.calls += 1
        language = current_language()
        for part in message(((language.tag, language.file), claim_check.current(), function, arguments, seconds)):
            # The rest of a write is copied, so writes are in small portions.
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
