"""A database is closed once nothing uses it any more, so that its file has everything."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from sqlalchemy import make_url, text

from chat_ui.conversations.records.records import Changes
from chat_ui.conversations.store.database import Database
from chat_ui.conversations.store.store import Store
from chat_ui.conversations.store.unavailable import StoreUnavailableError
from tests.conversations.kept import conversation


async def read(database: Database, begun: asyncio.Event, go_on: asyncio.Event) -> str:
    """What is read of the conversation, once it may go on."""
    async with database.reading() as connection:
        begun.set()
        await go_on.wait()
        return str(await connection.scalar(text("SELECT id FROM conversation")))


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


async def test_what_is_read_for_long_as_it_is_closed_is_cut_off(database_url: str):
    database = await Database.open(database_url)
    await Store(database).write(Changes((conversation(),)))
    begun = asyncio.Event()
    reading = asyncio.create_task(read(database, begun, asyncio.Event()))
    await begun.wait()
    await database.close()
    with pytest.raises(StoreUnavailableError):
        await reading
    assert beside(database_url) == []
