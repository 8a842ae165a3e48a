"""A database is closed once nothing uses it any more, so that its file has everything."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import make_url, text

from chat_ui.conversations.records.records import Changes
from chat_ui.conversations.store import database as database_module
from chat_ui.conversations.store.database import Database
from chat_ui.conversations.store.store import Store
from chat_ui.conversations.store.unavailable import StoreUnavailableError
from tests.conversations.kept import conversation
from tests.patience import PATIENCE


async def read(database: Database, begun: asyncio.Event, go_on: asyncio.Event) -> str:
    """What is read of the conversation, once it may go on."""
    async with database.reading() as connection:
        begun.set()
        await go_on.wait()
        return str(await connection.scalar(text("SELECT id FROM conversation")))


class Watched(sqlite3.Connection):
    """A connection that tells whether it was closed."""

    is_closed = False

    def close(self) -> None:
        super().close()
        self.is_closed = True


def beside(database_url: str) -> list[str]:
    """The files beside that of SQLite which belong to it."""
    file = make_url(database_url).database
    return [one.name for one in Path(file).parent.glob("*-wal")] if database_url.startswith("sqlite") and file else []


async def test_what_is_read_as_it_is_closed_is_read_to_its_end(database_url: str):
    database = await Database.open(database_url)
    await Store(database).write(Changes((conversation(),)))
    begun, go_on = asyncio.Event(), asyncio.Event()
    reading = asyncio.create_task(read(database, begun, go_on))
    await begun.wait()
    closing = asyncio.create_task(database.close())
    go_on.set()
    await closing
    assert await reading == conversation().id
    assert beside(database_url) == []
    with pytest.raises(StoreUnavailableError):
        await read(database, begun, go_on)


async def test_what_is_read_for_long_as_it_is_closed_is_cut_off(database_url: str, monkeypatch: pytest.MonkeyPatch):
    database = await Database.open(database_url)
    await Store(database).write(Changes((conversation(),)))
    begun = asyncio.Event()
    reading = asyncio.create_task(read(database, begun, asyncio.Event()))
    await begun.wait()
    monkeypatch.setattr(database_module, "_LAST_SECONDS", 0.01)
    closing = asyncio.create_task(database.close())
    await asyncio.sleep(0)
    # Once it is cut off, a busy machine may take its time.
    monkeypatch.setattr(database_module, "_LAST_SECONDS", PATIENCE)
    await closing
    with pytest.raises(StoreUnavailableError):
        await reading
    assert beside(database_url) == []


async def test_an_interrupt_that_comes_after_its_query_leaves_no_file_behind(sqlite_url: str):
    database = await Database.open(sqlite_url)
    await Store(database).write(Changes((conversation(),)))
    async with database.writing() as connection:
        driver: Any = (await connection.get_raw_connection()).driver_connection
    await driver.interrupt()
    await database.close()
    assert beside(sqlite_url) == []


async def test_a_query_of_which_rows_are_left_is_no_error_of_closing(sqlite_url: str, caplog: pytest.LogCaptureFixture):
    database = await Database.open(sqlite_url)
    async with database.writing() as connection:
        driver: Any = (await connection.get_raw_connection()).driver_connection
    unread = await driver.execute("VALUES (1), (2)")
    await driver.interrupt()
    await database.close()
    assert (caplog.records, beside(sqlite_url)) == ([], [])
    del unread


async def test_a_connection_that_its_caller_left_is_closed_with_the_database(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
):
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
