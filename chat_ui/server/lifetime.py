"""The lifetime of the server: tasks that begin, run and end with it."""

from __future__ import annotations

import asyncio
import ctypes
import gc
import logging
import multiprocessing
import os
import re
import shutil
import signal
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Final

from filelock import AsyncFileLock, Timeout

from chat_ui.errors import DatabaseInUseError
from chat_ui.protocol.answers.answer import Answer
from chat_ui.rendering.markdown.code_blocks import SLOW_TO_LOAD, lexer_for
from chat_ui.rendering.packed import packed
from chat_ui.server.middleware.in_flight import InFlight
from chat_ui.server.served import entered
from chat_ui.server.services import Services
from chat_ui.settings import Settings, sqlite_file

logger = logging.getLogger(__name__)

_LOOK_SECONDS: Final = 0.5
"""Seconds between two looks for the parent process."""
_OF_A_PERSON: Final = re.compile(r"[0-9a-f]{32}")
_CALL_SECONDS: Final = 5.0
"""Seconds for running calls, such as a download, after the grace of the answers."""
_END_SECONDS: Final = 5.0
"""Seconds for the last writes, if the parent process that would wait for this one is gone."""
_WAIT_SECONDS: Final = 5.0
"""Seconds for which a former server may still be ending."""
EVERY: Final = 60.0
"""Seconds between two full collections."""
_NEVER: Final = 1_000_000
_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)


@asynccontextmanager
async def running_services(services: Services, in_flight: InFlight) -> AsyncIterator[None]:
    """Keep conversations while the server runs; at its end, give running answers `grace_seconds` to end."""
    async with entered(served.around() for served in services.served), _running_services(services, in_flight):
        yield


@asynccontextmanager
async def _running_services(services: Services, in_flight: InFlight) -> AsyncIterator[None]:
    asked = asyncio.Event()
    with on_shutdown_signal(asked.set) as pass_on:
        lock = await _lock_database(services.settings)
        warming = asyncio.create_task(_warm(services), name="warming")
        await asyncio.to_thread(delete_former_files, services.settings.data_dir)
        features = AsyncExitStack()
        await features.enter_async_context(entered(served.running() for served in services.served))
        await services.conversations.begin()
        ending = asyncio.create_task(_end_running_after(asked, services, in_flight), name="ending answers")
        ending.add_done_callback(lambda _ended: pass_on())
        orphaned = asyncio.create_task(_end_without_parent(services, features), name="looking at the parent")
        try:
            yield
        finally:
            orphaned.cancel()
            warming.cancel()
            asked.set()
            await ending
            # A process that is starting would be left behind.
            await asyncio.wait({orphaned, warming})
            await _end(services, features)
            if lock is not None:
                await lock.release()


async def _lock_database(chosen: Settings) -> AsyncFileLock | None:
    """The lock of the only server of an SQLite database; None for other databases, or with a shared Redis."""
    database = sqlite_file(chosen)
    if database is None or chosen.redis_url is not None:
        return None
    try:
        return await lock_database(database)
    except DatabaseInUseError as problem:
        logger.error("%s", problem)  # noqa: TRY400 - its message says everything
        # The server would log an exception raised here with a stack trace.
        os._exit(1)


async def _end(services: Services, features: AsyncExitStack) -> None:
    await services.conversations.end()
    try:
        await features.aclose()
    finally:
        await services.processes.end()
        await services.uploads.end()


async def _end_without_parent(services: Services, features: AsyncExitStack) -> None:
    """End this worker after its parent process: a killed parent sends its workers no signal."""
    parent = multiprocessing.parent_process()
    if parent is None:
        return
    while os.getppid() == parent.pid:  # noqa: ASYNC110 - the system sends no signal
        await asyncio.sleep(_LOOK_SECONDS)
    logger.warning("the parent process is gone; this worker stops")
    with suppress(TimeoutError):
        async with asyncio.timeout(_END_SECONDS):
            await services.conversations.end_running(0)
            await _end(services, features)
    # The server would wait for connections, and for the dead process.
    os.kill(os.getpid(), signal.SIGKILL)


async def _warm(services: Services) -> None:
    """Load modules that the first answer needs."""
    await services.processes.warm(packed, Answer())
    for language in SLOW_TO_LOAD:
        await asyncio.to_thread(lexer_for, language)


def delete_former_files(data: Path) -> None:
    """Delete the evaluations and recordings of earlier versions in people's folders below `data`."""
    for folder in (data / "evaluations", data / "recordings"):
        people = [one for one in folder.glob("*") if _OF_A_PERSON.fullmatch(one.name)]
        for one in people:
            shutil.rmtree(one, ignore_errors=True)
        if people:
            with suppress(OSError):
                folder.rmdir()
            logger.warning("users' %s were deleted: this version has none", folder.name)


async def _end_running_after(asked: asyncio.Event, services: Services, in_flight: InFlight) -> None:
    await asked.wait()
    in_flight.refuse()
    await services.conversations.end_running(services.settings.grace_seconds)
    await in_flight.end(_CALL_SECONDS)


@contextmanager
def on_shutdown_signal(act: Callable[[], object]) -> Iterator[Callable[[], None]]:
    """Within the context, call `act` in the running loop at SIGTERM or SIGINT, unless it is ignored.

    The server's own handler runs once the yielded function is called. The server waits for open connections before it
    ends its lifespan, and streams of running answers are such connections. So the end of the lifespan would be too late
    to end them.
    """
    loop = asyncio.get_running_loop()
    # An ignored signal stays ignored: a process that starts here inherits that.
    former = {one: handler for one in _SIGNALS if (handler := signal.getsignal(one)) != signal.SIG_IGN}
    received: list[signal.Signals] = []

    def handle(number: int, _frame: FrameType | None) -> None:
        received.append(signal.Signals(number))
        loop.call_soon_threadsafe(act)

    def pass_on() -> None:
        before = former[received[0]] if received else None
        if callable(before):
            before(received[0], None)

    try:
        for one in former:
            signal.signal(one, handle)
    except ValueError:
        # Outside the main thread signals belong to the host of the app, and the host ends the lifespan.
        yield pass_on
        return
    try:
        yield pass_on
    finally:
        for one, handler in former.items():
            signal.signal(one, handler)


async def lock_database(database: Path) -> AsyncFileLock:
    """A lock for the only server of the SQLite database in this file, for its whole life.

    Raises:
        DatabaseInUseError: another server has it.
    """
    lock = AsyncFileLock(database.with_name(f"{database.name}.server"), timeout=_WAIT_SECONDS, mode=0o600)
    try:
        await asyncio.to_thread(database.parent.mkdir, mode=0o700, parents=True, exist_ok=True)
        await lock.acquire()
    except Timeout:
        raise DatabaseInUseError(
            f"Another server uses the database {database}. Stop that one, set another CHAT_UI_DATA_DIR, or see "
            "“Several processes” in docs/operations.md."
        ) from None
    except OSError:
        # The store reports a folder that cannot be used.
        pass
    return lock


@asynccontextmanager
async def rare_full_collections(*, every: float = EVERY) -> AsyncIterator[None]:
    """Within the context, collect fully once in `every` seconds and at no other time.

    A full collection visits every live object and stops the process meanwhile: 0.17 s with two hundred conversations.
    By Python's rule it came every five seconds under load and found next to nothing. Collections of young objects, a
    millisecond each, stay as they are, and objects from before the start are never visited again. Freed memory is
    returned to the system at the same time: the C library keeps a fifth of that of some answers of megabytes.
    """
    young, middle, old = gc.get_threshold()
    gc.collect()
    gc.freeze()
    gc.set_threshold(young, middle, _NEVER)
    collecting = asyncio.create_task(_collect(every), name="collecting garbage")
    try:
        yield
    finally:
        collecting.cancel()
        gc.set_threshold(young, middle, old)
        gc.unfreeze()


async def _collect(every: float) -> None:
    while True:
        await asyncio.sleep(every)
        gc.collect()
        await asyncio.to_thread(_give_back)


def _give_back() -> None:
    """Return freed memory of the C library to the system, if possible (glibc)."""
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)
