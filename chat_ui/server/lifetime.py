"""From the start of the server to its end: tasks that begin, run and end with it."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Final

from filelock import AsyncFileLock

from chat_ui.protocol.answers.answer import Answer
from chat_ui.rendering.markdown.code_blocks import SLOW_TO_LOAD, lexer_for
from chat_ui.rendering.packed import packed
from chat_ui.server.database_lock import DatabaseInUseError, lock_database
from chat_ui.server.middleware.in_flight import InFlight
from chat_ui.server.parent import wait_until_orphaned
from chat_ui.server.services import Services
from chat_ui.server.shutdown_signal import on_shutdown_signal
from chat_ui.settings import Settings, sqlite_file

logger = logging.getLogger(__name__)

_PURGE_SECONDS: Final = 3600.0
"""Seconds between two looks for files of people that are too old."""
_CALL_SECONDS: Final = 5.0
"""Seconds for calls under way, such as a download, after the grace of the answers."""
_END_SECONDS: Final = 5.0
"""Seconds for the last writes, where the parent process that would wait for this one is gone."""


@asynccontextmanager
async def keeping(services: Services, in_flight: InFlight) -> AsyncIterator[None]:
    """Keep conversations while the server runs; at its end, give running answers `grace_seconds` to end."""
    asked = asyncio.Event()
    with on_shutdown_signal(asked.set) as pass_on:
        lock = await _lock_database(services.settings)
        warming = asyncio.create_task(_warm(services), name="warming")
        await services.recorder.open()
        await services.conversations.begin()
        ending = asyncio.create_task(_end_running_after(asked, services, in_flight), name="ending answers")
        ending.add_done_callback(lambda _ended: pass_on())
        purging = asyncio.create_task(_purge(services), name="deleting old files")
        orphaned = asyncio.create_task(_end_without_parent(services), name="looking at the parent")
        try:
            yield
        finally:
            orphaned.cancel()
            purging.cancel()
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
    await services.evaluations.close()
    await services.conversations.end()
    services.recorder.close()
    await services.processes.end()
    await services.uploads.end()


async def _end_without_parent(services: Services) -> None:
    await wait_until_orphaned()
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


async def _purge(services: Services) -> None:
    while True:
        if services.conversations.clock.date() is not None:
            await asyncio.to_thread(services.person_runs.purge)
        await asyncio.sleep(_PURGE_SECONDS)


async def _end_running_after(asked: asyncio.Event, services: Services, in_flight: InFlight) -> None:
    await asked.wait()
    in_flight.refuse()
    await services.conversations.end_running(services.settings.grace_seconds)
    await in_flight.end(_CALL_SECONDS)
