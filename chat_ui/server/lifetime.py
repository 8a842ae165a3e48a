"""From the start of the server to its end: tasks that begin, run and end with it."""

from __future__ import annotations

import asyncio
import logging
import multiprocessing
import os
import re
import shutil
import signal
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import Final

from filelock import AsyncFileLock

from chat_ui.protocol.answers.answer import Answer
from chat_ui.rendering.markdown.code_blocks import SLOW_TO_LOAD, lexer_for
from chat_ui.rendering.packed import packed
from chat_ui.server.database_lock import DatabaseInUseError, lock_database
from chat_ui.server.middleware.in_flight import InFlight
from chat_ui.server.services import Services
from chat_ui.settings import Settings, sqlite_file

logger = logging.getLogger(__name__)

_LOOK_SECONDS: Final = 0.5
"""Seconds between two looks for the parent process."""
_OF_A_PERSON: Final = re.compile(r"[0-9a-f]{32}")
"""The name of a person's folder."""
_CALL_SECONDS: Final = 5.0
"""Seconds for calls under way, such as a download, after the grace of the answers."""
_END_SECONDS: Final = 5.0
"""Seconds for the last writes, where the parent process that would wait for this one is gone."""
_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)


@asynccontextmanager
async def keeping(services: Services, in_flight: InFlight) -> AsyncIterator[None]:
    """Keep conversations while the server runs; at its end, give running answers `grace_seconds` to end."""
    asked = asyncio.Event()
    with on_shutdown_signal(asked.set) as pass_on:
        lock = await _lock_database(services.settings)
        warming = asyncio.create_task(_warm(services), name="warming")
        await asyncio.to_thread(delete_former_files, services.settings.data_dir)
        await services.recorder.open()
        await services.conversations.begin()
        ending = asyncio.create_task(_end_running_after(asked, services, in_flight), name="ending answers")
        ending.add_done_callback(lambda _ended: pass_on())
        orphaned = asyncio.create_task(_end_without_parent(services), name="looking at the parent")
        try:
            yield
        finally:
            orphaned.cancel()
            warming.cancel()
            asked.set()
            await ending
            await _end(services)
            if lock is not None:
                await lock.release()


async def _lock_database(chosen: Settings) -> AsyncFileLock | None:
    """The lock of the one server of an SQLite database; None where there is no such file, or several share a Redis."""
    database = sqlite_file(chosen)
    if database is None or chosen.redis_url is not None:
        return None
    try:
        return await lock_database(database)
    except DatabaseInUseError as problem:
        logger.error("%s", problem)  # noqa: TRY400 - its message says everything
        # The server would log an exception raised here with a stack trace.
        os._exit(1)


async def _end(services: Services) -> None:
    await services.conversations.end()
    services.recorder.close()
    await services.processes.end()
    await services.uploads.end()


async def _end_without_parent(services: Services) -> None:
    """End this process once the one that started it as its worker is gone. A parent that is killed sends its workers no
    signal, and they would serve beside their replacement.
    """
    parent = multiprocessing.parent_process()
    if parent is None:
        return
    while os.getppid() == parent.pid:  # noqa: ASYNC110 - the system sends no signal
        await asyncio.sleep(_LOOK_SECONDS)
    logger.warning("the process that started this one is gone, so this one ends")
    with suppress(TimeoutError):
        async with asyncio.timeout(_END_SECONDS):
            await services.conversations.end_running(0)
            await _end(services)
    # The server would wait for connections, and for the process that is gone.
    os.kill(os.getpid(), signal.SIGKILL)


async def _warm(services: Services) -> None:
    """Load what everybody would wait for at the first answer."""
    await services.processes.warm(packed, Answer())
    for language in SLOW_TO_LOAD:
        await asyncio.to_thread(lexer_for, language)


def delete_former_files(data: Path) -> None:
    """Delete the evaluations and recordings that earlier versions kept for people in the folder of the `data`."""
    for folder in (data / "evaluations", data / "recordings"):
        people = [one for one in folder.glob("*") if _OF_A_PERSON.fullmatch(one.name)]
        for one in people:
            shutil.rmtree(one, ignore_errors=True)
        if people:
            with suppress(OSError):
                folder.rmdir()
            logger.warning("the %s of people are deleted: the page has none any more", folder.name)


async def _end_running_after(asked: asyncio.Event, services: Services, in_flight: InFlight) -> None:
    await asked.wait()
    in_flight.refuse()
    await services.conversations.end_running(services.settings.grace_seconds)
    await in_flight.end(_CALL_SECONDS)


@contextmanager
def on_shutdown_signal(act: Callable[[], object]) -> Iterator[Callable[[], None]]:
    """Within the context, call `act` in the running loop at SIGTERM or SIGINT, unless it is ignored.

    The server's own handler runs once the function that is yielded is called. The server waits for open connections
    before it ends its lifespan, and the streams of running answers are such connections: the end of the lifespan would
    come too late to end them.
    """
    loop = asyncio.get_running_loop()
    # What is ignored stays so: a process that starts here inherits that.
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
