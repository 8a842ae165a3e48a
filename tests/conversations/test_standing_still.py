"""A disk that stands still, or a row that another holds, is noticed; once it goes on, everything is kept."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, TypeAlias

import pytest
from sqlalchemy import Engine, event
from sqlalchemy import text as sql

from chat_ui.conversations import keeper
from chat_ui.conversations.conversations import Conversations
from chat_ui.conversations.records.records import Changes
from chat_ui.conversations.store import database as database_module
from chat_ui.conversations.store.conversation_list import StoredList
from chat_ui.conversations.store.database import WRITE_SECONDS, Database, engine_at
from chat_ui.conversations.store.store import Store
from chat_ui.conversations.store.unavailable import StoreUnavailableError
from chat_ui.protocol.transport.client import Client
from tests.backends.stand_in import StandIn
from tests.conversations.keeping import ask, keeping, until, until_kept
from tests.conversations.kept import conversation, turn
from tests.patience import PATIENCE

Still: TypeAlias = Callable[[], AbstractAsyncContextManager[None]]


@pytest.fixture
def still(database_url: str) -> AbstractAsyncContextManager[Still]:
    """While this lasts, `still()` has each question that is written wait within the database."""
    return _on_sqlite(database_url) if database_url.startswith("sqlite") else _on_postgresql(database_url)


@asynccontextmanager
async def _on_sqlite(url: str) -> AsyncIterator[Still]:
    """The thread that writes waits in the middle of a statement, as where the system does not return from a write."""
    goes_on = threading.Event()
    goes_on.set()

    def stand() -> None:
        goes_on.wait(PATIENCE)

    def add(connection: Any, _record: object) -> None:
        connection.create_function("stand", 0, stand)

    @asynccontextmanager
    async def still() -> AsyncIterator[None]:
        goes_on.clear()
        try:
            yield
        finally:
            goes_on.set()

    with sqlite3.connect(url.removeprefix("sqlite:///")) as opened:
        opened.execute("CREATE TRIGGER standing AFTER INSERT ON turn BEGIN SELECT stand(); END")
    opened.close()
    event.listen(Engine, "connect", add)
    try:
        yield still
    finally:
        event.remove(Engine, "connect", add)
        # A thread that stood still tells its loop of its end.
        loop = asyncio.get_running_loop()
        if ending := [one for one in database_module._ENDING if one.get_loop() is loop]:
            await asyncio.wait(ending)


@asynccontextmanager
async def _on_postgresql(url: str) -> AsyncIterator[Still]:
    engine = engine_at(url)

    @asynccontextmanager
    async def still() -> AsyncIterator[None]:
        async with engine.begin() as locker:
            await locker.execute(sql("LOCK TABLE turn IN EXCLUSIVE MODE"))
            yield

    yield still
    await engine.dispose()


def stands_still(conversations: Conversations) -> bool:
    """Have the keeper of these look as after half the seconds once more; whether it takes the disk to stand still."""
    conversations.keeper.look(WRITE_SECONDS / 2)
    return conversations.keeper.failing


async def test_a_write_that_does_not_move_on_is_noticed_by_the_seconds_that_the_caller_counts(
    database_url: str, still: AbstractAsyncContextManager[Still]
):
    record = conversation()
    async with still as standing:
        database = await Database.open(database_url)
        store, listed = Store(database), StoredList(database)
        await store.write(Changes((record,)))
        assert not database.look(100 * WRITE_SECONDS)
        async with standing():
            writing = asyncio.create_task(store.write(Changes(turns=(turn(record),))))

            await until(lambda: database.look(WRITE_SECONDS / 2))
            with pytest.raises(StoreUnavailableError, match="says nothing"):
                await listed.rename("me", record.id, "Never")
            with pytest.raises(StoreUnavailableError):
                await database.touch()
            assert (await store.outline("me", record.id)).turns == ()
        await writing
        assert not database.look(WRITE_SECONDS)
        await database.touch()
        assert await listed.rename("me", record.id, "Once more")
        await database.close()


async def test_writers_that_wait_behind_one_that_stands_still_are_told_and_it_is_not_doubled(
    client: Client, half: StandIn, database_url: str, still: AbstractAsyncContextManager[Still]
):
    async with still as standing, keeping(database_url) as conversations:
        talk = conversations.start("me")
        first = ask(client, talk, half)
        await first.generation.wait_for_end()
        await until_kept(conversations, first)
        seen = talk.signal.revision
        async with standing(), asyncio.timeout(PATIENCE):
            made = ask(client, talk, half, "And now?")
            await made.generation.wait_for_end()
            renaming = asyncio.create_task(conversations.lists.rename("me", talk.id, "Never"))
            await until(lambda: stands_still(conversations))
            with pytest.raises(StoreUnavailableError):
                await renaming
            assert not await conversations.can_be_kept()
            assert "not being kept at the moment" in conversations.unkept_notice
            talk.choose_answer(first.id, 1)
            later = ask(client, talk, half, "And later?")
            await later.generation.wait_for_end()
            for one in ("me", "you"):
                # What is refused loses nothing that waits to be written.
                with pytest.raises(StoreUnavailableError):
                    await conversations.lists.delete_all(one)
        async with asyncio.timeout(PATIENCE):
            while conversations.unkept_notice:
                seen = await talk.signal.wait(seen)
        assert await conversations.can_be_kept()
        for one in (made, later):
            await until_kept(conversations, one)
        transcript = await conversations.lists.transcript("me", talk.id)
        assert [one.question for one in transcript.turns] == ["Who is there?", "And now?", "And later?"]
        assert [one.answer.text for one in transcript.generations] == ["Half an answer"] * 3
        assert transcript.conversation.title == "Who is there?"


async def test_a_server_ends_while_the_disk_stands_still_and_tells_that_something_is_lost(
    client: Client, half: StandIn, database_url: str, still, caplog, monkeypatch: pytest.MonkeyPatch
):
    for module in (keeper, database_module):
        monkeypatch.setattr(module, "_LAST_SECONDS", 0.1)
    async with still as standing:
        conversations = Conversations(lambda: Database.open(database_url))
        await conversations.begin()
        async with standing(), asyncio.timeout(PATIENCE / 4):
            made = ask(client, conversations.start("me"), half)
            await made.generation.wait_for_end()
            await until(lambda: stands_still(conversations))
            await conversations.end()
    [line] = [one.getMessage() for one in caplog.records if one.levelno == logging.ERROR]
    assert line == "conversations of which something is lost, as it could not be written: 1"


async def test_a_write_that_moves_on_slowly_or_whose_end_is_heard_of_late_does_not_stand_still(database: Database):
    async with database.writing() as connection:
        for _ in range(4):
            assert not database.look(0.9 * WRITE_SECONDS)
            await connection.execute(sql("SELECT 1"))
        assert not database.look(0.9 * WRITE_SECONDS)
        if database.is_sqlite:
            for _ in range(8):
                assert not database.look(WRITE_SECONDS)


async def test_a_read_of_sqlite_that_does_not_return_is_noticed(sqlite_url: str):
    goes_on = threading.Event()
    database = await Database.open(sqlite_url)

    async def read() -> None:
        async with database.reading() as connection:
            driver = (await connection.get_raw_connection()).driver_connection
            await driver.create_function("stand", 0, lambda: goes_on.wait(PATIENCE) and None)
            await connection.execute(sql("SELECT stand()"))

    reading = asyncio.create_task(read())

    await until(lambda: database.look(WRITE_SECONDS / 2))
    goes_on.set()
    await reading
    assert not database.look(WRITE_SECONDS)
    await database.close()


async def test_a_statement_of_sqlite_that_computes_for_long_moves_on(sqlite_url: str):
    database = await Database.open(sqlite_url)
    is_still: list[bool] = []
    # One step of SQLite's machine compares the whole text.
    long_step = "length(replace(hex(zeroblob(2000000)), '0', 'ab'))"
    async with database.writing() as connection:
        driver = (await connection.get_raw_connection()).driver_connection
        await driver.create_function("look", 0, lambda: is_still.append(database.look(0.6 * WRITE_SECONDS)))
        await connection.execute(sql(f"SELECT look(), {long_step}, look(), {long_step}, look()"))
    assert is_still == [False] * 3
    await database.close()
