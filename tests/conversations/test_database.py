import asyncio
import sqlite3
import threading
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import make_url, text

from chat_ui.backends import vault as vault_module
from chat_ui.backends.vault import Vault
from chat_ui.conversations import redis_connection, running_time
from chat_ui.conversations.records.records import Changes
from chat_ui.conversations.redis_connection import redis_at
from chat_ui.conversations.running_time import within
from chat_ui.conversations.store import database as database_module
from chat_ui.conversations.store.database import READS_AT_ONCE, Database, engine_at
from chat_ui.conversations.store.store import Store
from chat_ui.errors import StoreUnavailableError
from tests.conversations.kept import conversation
from tests.late_loop import LATE, run_late
from tests.postgresql import PostgreSQL
from tests.redis_server import RedisServer
from tests.timeouts import TIMEOUT


async def read(database: Database, begun: asyncio.Event, go_on: asyncio.Event) -> str:
    """The rows of the conversation, once the read may go on."""
    async with database.reading() as connection:
        begun.set()
        await go_on.wait()
        return str(await connection.scalar(text("SELECT id FROM conversation")))


async def opened_at(url: str) -> Database:
    """A database with a conversation."""
    database = await Database.open(url)
    await Store(database).write(Changes((conversation(),)))
    return database


class Watched(sqlite3.Connection):
    is_closed = False

    def close(self) -> None:
        super().close()
        self.is_closed = True


def beside(database_url: str) -> list[str]:
    """SQLite's files beside the database."""
    file = make_url(database_url).database
    return [one.name for one in Path(file).parent.glob("*-wal")] if database_url.startswith("sqlite") and file else []


@pytest.mark.parametrize("is_long", [False, True], ids=["for a moment", "for long"])
async def test_reads_during_closing_are_finished_or_cut_off(
    database_url: str, monkeypatch: pytest.MonkeyPatch, is_long: bool
):
    database = await opened_at(database_url)
    begun, go_on = asyncio.Event(), asyncio.Event()
    reading = asyncio.create_task(read(database, begun, go_on))
    await begun.wait()
    # Once it is cut off, a busy machine may take its time.
    with monkeypatch.context() as patched:
        patched.setattr(database_module, "_LAST_SECONDS", 0.01 if is_long else TIMEOUT)
        closing = asyncio.create_task(database.close())
        await asyncio.sleep(0)
    if not is_long:
        go_on.set()
    await closing
    [found] = await asyncio.gather(reading, return_exceptions=True)
    assert isinstance(found, StoreUnavailableError) if is_long else found == conversation().id
    assert beside(database_url) == []
    with pytest.raises(StoreUnavailableError):
        await read(database, begun, go_on)


async def test_a_query_with_unread_rows_does_not_break_closing(sqlite_url: str, caplog: pytest.LogCaptureFixture):
    database = await opened_at(sqlite_url)
    async with database.writing() as connection:
        driver: Any = (await connection.get_raw_connection()).driver_connection
    unread = await driver.execute("VALUES (1), (2)")
    await driver.interrupt()
    await database.close()
    assert (caplog.records, beside(sqlite_url)) == ([], [])
    del unread


async def test_an_abandoned_connection_is_closed(sqlite_url: str, monkeypatch: pytest.MonkeyPatch):
    database = await Database.open(sqlite_url)
    connect, opening, go_on = sqlite3.connect, threading.Event(), threading.Event()
    opened: list[Watched] = []

    def connect_late(*arguments: Any, **options: Any) -> sqlite3.Connection:
        opening.set()
        go_on.wait()
        opened.append(connect(*arguments, factory=Watched, **options))
        return opened[-1]

    monkeypatch.setattr(sqlite3, "connect", connect_late)
    reading = asyncio.create_task(read(database, asyncio.Event(), asyncio.Event()))
    await asyncio.to_thread(opening.wait)
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    closing = asyncio.create_task(database.close())
    go_on.set()
    await closing
    assert [connection.is_closed for connection in opened] == [True]


def test_a_late_loop_cancels_only_stalled_statements():
    async def work() -> None:
        for seconds in (1.0, 5.0, None):
            async with within(seconds):
                for _ in range(40):
                    await asyncio.sleep(0)
        for seconds in (0.0, 1.0):
            with pytest.raises(TimeoutError):
                async with within(seconds):
                    await asyncio.Event().wait()
        began = asyncio.get_running_loop().time()
        await running_time.sleep(1.0)
        assert asyncio.get_running_loop().time() - began > 5 * LATE

    run_late(work)


@pytest.mark.thorough
def test_postgresql_is_not_away_for_a_late_loop_or_waiting_readers(postgresql: PostgreSQL, monkeypatch):
    monkeypatch.setattr(database_module, "ANSWER_SECONDS", 1.0)

    async def work() -> None:
        database = await Database.open(postgresql.url())
        for _ in range(3):
            await database.touch()
            async with database.reading():
                pass
        assert not database.is_unavailable

        async def read() -> None:
            async with database.reading():
                pass

        # A connection beside a reader would time out, since each of its steps takes 0.8 seconds here.
        async with AsyncExitStack() as held:
            for _ in range(READS_AT_ONCE - 1):
                await held.enter_async_context(database.reading())
            async with database.reading():
                waiting = asyncio.create_task(read())
                for _ in range(200):
                    await asyncio.sleep(0)
                assert not waiting.done()
            await waiting
        await database.close()

    run_late(work, TIMEOUT)


@pytest.mark.thorough
def test_people_who_wait_for_each_others_locks_see_no_outage(
    postgresql: PostgreSQL, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(vault_module, "ANSWER_SECONDS", 1.0)
    monkeypatch.setattr(vault_module, "READS_AT_ONCE", 1)

    async def work() -> None:
        await (await Database.open(postgresql.url())).close()
        vault = Vault(tmp_path, "secret", lambda: engine_at(postgresql.url()))
        found = await asyncio.gather(*(vault.find(f"{number}", "https://a.example") for number in range(40)))
        assert set(found) == {None}
        await vault.close()

    run_late(work, TIMEOUT)


def test_redis_is_not_away_for_a_late_loop(redis: RedisServer, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(redis_connection, "ANSWER_SECONDS", 1.0)

    async def work() -> None:
        connected = redis_at(redis.url)
        for _ in range(3):
            assert await connected.ping()
            await connected.connection_pool.disconnect()
        await connected.aclose()

    run_late(work, TIMEOUT)
