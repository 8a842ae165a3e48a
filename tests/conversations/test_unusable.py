"""An unusable store reports the reason to people and the operator, and is used again once it can be."""

import asyncio
import errno
import logging
import shutil
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from itertools import count
from pathlib import Path
from typing import Any, TypeAlias

import asyncpg
import pytest
from alembic.util import CommandError
from sqlalchemy import Engine, event
from sqlalchemy import text as sql
from sqlalchemy.exc import ArgumentError, DBAPIError

from chat_ui.conversations import stored_repository
from chat_ui.conversations.conversations import Conversations
from chat_ui.conversations.records.records import Changes
from chat_ui.conversations.store import database as database_module
from chat_ui.conversations.store.conversation_list import StoredList
from chat_ui.conversations.store.database import WRITE_SECONDS, Database, engine_at, file_at, unavailable
from chat_ui.conversations.store.store import Store
from chat_ui.errors import StoreDamagedError, StoreFullError, StoreTooNewError, StoreUnavailableError
from chat_ui.protocol.transport.client import AsyncClient
from tests.conversations.kept import conversation, turn
from tests.conversations.repository import ask, execute, is_failing, kept, path_of, repository, until, until_kept
from tests.postgresql import PostgreSQL
from tests.stand_ins.stand_in import StandIn
from tests.timeouts import TIMEOUT


async def notice_of(conversations: Conversations, *, unsaved: bool = True) -> str:
    """The person's notice, once the outage or its end has been noticed."""
    await is_failing(conversations, conversations.start("somebody"), is_so=unsaved)
    return conversations.unsaved_notice


def told(caplog: pytest.LogCaptureFixture) -> str:
    [line] = [record.getMessage() for record in caplog.records if "not stored" in record.getMessage()]
    return line


async def test_an_unexpected_error_does_not_end_the_writing(client, half: StandIn, sqlite_url: str, caplog):
    attempts = count()

    async def opened() -> Database:
        if not next(attempts):
            raise RuntimeError("nobody thought of this")
        return await Database.open(sqlite_url)

    conversations = Conversations(opened)
    await conversations.begin()
    try:
        made = ask(client, conversations.start("me"), half)
        await made.generation.wait_for_end()
        await notice_of(conversations, unsaved=False)
        await until_kept(conversations, made)
    finally:
        await conversations.end()
    assert {"the store failed unexpectedly", "conversations are stored again"} <= {*caplog.messages}


@pytest.mark.thorough
async def test_a_postgresql_lost_again_during_the_clean_up_is_found_again(
    postgresql: PostgreSQL, monkeypatch: pytest.MonkeyPatch
):
    database = await Database.open(postgresql.url())
    begun, cleared = asyncio.Event(), asyncio.Event()

    async def read() -> None:
        async with database.reading():
            begun.set()
            try:
                await asyncio.Event().wait()
            finally:
                await cleared.wait()

    reading = asyncio.create_task(read())
    await begun.wait()
    with postgresql.silent(), monkeypatch.context() as patched:
        for bound in ("ANSWER_SECONDS", "_POSTGRESQL_SECONDS"):
            patched.setattr(database_module, bound, 0.2)
        for _ in range(2):
            with pytest.raises(StoreUnavailableError, match="does not respond"):
                await database.touch()
        assert database.is_unavailable
        cleared.set()
        with pytest.raises(StoreUnavailableError):
            await reading
    await database.touch()
    assert not database.is_unavailable
    await database.close()


async def test_a_damaged_file_is_told_from_an_unreachable_store(tmp_path: Path, caplog):
    (tmp_path / "chat.db").write_bytes(b"This is no database. " * 1000)
    async with repository(f"sqlite:///{tmp_path / 'chat.db'}") as conversations:
        notice = await notice_of(conversations)
    assert [words in notice for words in ("damaged", "backup", "as soon as")] == [True, True, False]
    assert "database file is damaged" in told(caplog)


async def test_a_store_of_a_newer_version_names_that_version(database_url: str, caplog):
    await execute(database_url, "UPDATE alembic_version SET version_num = '9999'")
    async with repository(database_url) as conversations:
        notice = await notice_of(conversations)
    assert [words in notice for words in ("newer version of this app", "as soon as")] == [True, False]
    assert "newer version of this app; start that version" in told(caplog)


async def test_a_missing_file_is_noticed_by_the_next_caller(sqlite_url: str):
    async with repository(sqlite_url) as conversations:
        assert await conversations.can_be_stored()
        path_of(sqlite_url).unlink()
        assert not await conversations.can_be_stored()
        # A connection opened at that time cannot tell the reason.
        await until(lambda: "moved or deleted" in conversations.unsaved_notice)
        assert not path_of(sqlite_url).exists()


async def test_messages_from_while_the_file_was_moved_are_kept_once_it_is_back(client, half, sqlite_url: str):
    path = path_of(sqlite_url)
    async with repository(sqlite_url) as conversations:
        talk = conversations.start("me")
        elsewhere = path.rename(path.with_name("elsewhere.db"))
        await is_failing(conversations, talk)
        seen = talk.signal.revision
        for _ in range(5):
            assert not await conversations.repository._attempt()
            assert conversations.repository.failing
        assert talk.signal.revision == seen
        elsewhere.rename(path)
        await notice_of(conversations, unsaved=False)
        await ask(client, talk, half).generation.wait_for_end()
        path.rename(elsewhere)
        await notice_of(conversations)
        made = ask(client, talk, half, "And now?")
        await made.generation.wait_for_end()
        elsewhere.rename(path)
        await notice_of(conversations, unsaved=False)
    async with repository(sqlite_url) as conversations:
        again = await conversations.get("me", talk.id)
        assert [turn.question for turn in again.turns] == ["Who is there?", "And now?"]
        assert (await kept(conversations, made)).answer.text == "Half an answer"


async def test_a_backup_in_place_of_the_file_is_used(client, half, sqlite_url: str, tmp_path: Path):
    async with repository(sqlite_url) as conversations:
        talk = conversations.start("me")
        await ask(client, talk, half).generation.wait_for_end()
    backup = shutil.copy(path_of(sqlite_url), tmp_path / "backup.db")
    async with repository(sqlite_url) as conversations:
        made = ask(client, conversations.start("me"), half)
        await made.generation.wait_for_end()
        await notice_of(conversations, unsaved=False)
        await until_kept(conversations, made)
        path_of(sqlite_url).unlink()
        await notice_of(conversations)
        shutil.move(backup, path_of(sqlite_url))
        await notice_of(conversations, unsaved=False)
        another = conversations.start("you")
        await ask(client, another, half).generation.wait_for_end()
    async with repository(sqlite_url) as conversations:
        assert await conversations.get("me", talk.id) is not None
        assert await conversations.get("you", another.id) is not None


async def test_an_unopenable_store_reports_the_databases_words(tmp_path: Path):
    (tmp_path / "chat.db").mkdir()
    with pytest.raises(StoreUnavailableError, match=r"Is a directory|unable to open database file"):
        await Database.open(f"sqlite:///{tmp_path / 'chat.db'}")


def of_sqlite(code: int, words: str = "of the file") -> sqlite3.Error:
    error = sqlite3.OperationalError(words)
    error.sqlite_errorcode = code
    return error


def through(error: BaseException) -> DBAPIError:
    """The error as SQLAlchemy wraps it."""
    return DBAPIError("INSERT INTO turn VALUES (?)", ("a secret question",), error)


def test_database_errors_are_told_in_plain_words():
    wrong: dict[Exception, tuple[type, str]] = {
        TimeoutError(): (StoreUnavailableError, "cannot be read: it does not respond"),
        through(TimeoutError()): (StoreUnavailableError, "cannot be read: it does not respond"),
        OSError(errno.ENOSPC, "no space"): (StoreFullError, "cannot be read: the disk is full"),
        OSError(errno.ECONNREFUSED, "refused"): (StoreUnavailableError, f"[Errno {errno.ECONNREFUSED}] refused"),
        through(of_sqlite(sqlite3.SQLITE_FULL)): (StoreFullError, "the disk is full"),
        through(of_sqlite(sqlite3.SQLITE_CORRUPT)): (StoreDamagedError, "is damaged (of the file)"),
        through(of_sqlite(sqlite3.SQLITE_CORRUPT | 1 << 8)): (StoreDamagedError, "is damaged (of the file)"),
        of_sqlite(sqlite3.SQLITE_NOTADB): (StoreDamagedError, "is damaged (of the file)"),
        through(of_sqlite(sqlite3.SQLITE_BUSY, "database is locked")): (StoreUnavailableError, "database is locked"),
        through(asyncpg.exceptions.DiskFullError("no space")): (StoreFullError, "the disk is full"),
        asyncpg.exceptions.InvalidPasswordError("of nobody"): (StoreUnavailableError, "cannot be read: of nobody"),
        CommandError("no such step"): (StoreTooNewError, "of a newer version"),
        ArgumentError("from postgresql://me:secret@x"): (StoreUnavailableError, "its URL is not valid"),
    }
    for error, (kind, words) in wrong.items():
        told = unavailable("read", error)
        assert type(told) is kind, error
        assert words in str(told)
        assert "secret" not in str(told)
    for error in (
        asyncpg.exceptions.InvalidTextRepresentationError("a secret value"),
        asyncpg.InterfaceError("a secret value"),
    ):
        # Such an error may contain a value.
        assert str(unavailable("written", error)) == f"the database cannot be written: {type(error).__name__}"
        wrapped = ValueError("a secret value")
        wrapped.__cause__ = error
        assert str(unavailable("written", through(wrapped))).endswith(f": {type(error).__name__}")


def test_a_moved_file_is_recognised(tmp_path: Path):
    first, second = tmp_path / "first", tmp_path / "second"
    assert file_at(first) is None
    first.touch()
    second.touch()
    known = file_at(first)
    assert known not in (None, file_at(second))
    first.rename(second)
    assert (file_at(first), file_at(second)) == (None, known)


Still: TypeAlias = Callable[[], AbstractAsyncContextManager[None]]


@pytest.fixture
def still(database_url: str) -> AbstractAsyncContextManager[Still]:
    """Hold each written question within the database. `still()` returns those held."""
    return _on_sqlite(database_url) if database_url.startswith("sqlite") else _on_postgresql(database_url)


@asynccontextmanager
async def _on_sqlite(url: str) -> AsyncIterator[Still]:
    """Stop the writing thread in the middle of a statement, as where the system call does not return."""
    goes_on = threading.Event()
    goes_on.set()

    def stand() -> None:
        goes_on.wait(TIMEOUT)

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
    """Check the writer after another half of `WRITE_SECONDS`. Returns whether it reports a stall."""
    conversations.repository.look(WRITE_SECONDS / 2)
    return conversations.repository.failing


async def test_a_stalled_write_is_noticed(database_url: str, still: AbstractAsyncContextManager[Still]):
    record = conversation()
    async with still as standing:
        database = await Database.open(database_url)
        store, listed = Store(database), StoredList(database)
        await store.write(Changes((record,)))
        assert not database.look(100 * WRITE_SECONDS)
        async with standing():
            writing = asyncio.create_task(store.write(Changes(turns=(turn(record),))))
            await until(lambda: database.look(WRITE_SECONDS / 2))
            with pytest.raises(StoreUnavailableError, match="does not respond"):
                await listed.rename("me", record.id, "Never")
            with pytest.raises(StoreUnavailableError):
                await database.touch()
            assert (await store.outline("me", record.id)).turns == ()
        await writing
        assert not database.look(WRITE_SECONDS)
        await database.touch()
        assert await listed.rename("me", record.id, "Once more")
        await database.close()


async def test_writers_behind_a_stalled_one_are_told_and_it_is_not_repeated(
    client: AsyncClient, half: StandIn, database_url: str, still: AbstractAsyncContextManager[Still]
):
    async with still as standing, repository(database_url) as conversations:
        talk = conversations.start("me")
        first = ask(client, talk, half)
        await first.generation.wait_for_end()
        await until_kept(conversations, first)
        seen = talk.signal.revision
        async with standing(), asyncio.timeout(TIMEOUT):
            made = ask(client, talk, half, "And now?")
            await made.generation.wait_for_end()
            renaming = asyncio.create_task(conversations.lists.rename("me", talk.id, "Never"))
            await until(lambda: stands_still(conversations))
            with pytest.raises(StoreUnavailableError):
                await renaming
            assert not await conversations.can_be_stored()
            assert "cannot be saved at the moment" in conversations.unsaved_notice
            talk.choose_answer(first.id, 1)
            later = ask(client, talk, half, "And later?")
            await later.generation.wait_for_end()
            for one in ("me", "you"):
                # A refusal loses no waiting write.
                with pytest.raises(StoreUnavailableError):
                    await conversations.lists.delete_all(one)
        async with asyncio.timeout(TIMEOUT):
            while conversations.unsaved_notice:
                seen = await talk.signal.wait(seen)
        assert await conversations.can_be_stored()
        for one in (made, later):
            await until_kept(conversations, one)
        transcript = await conversations.lists.transcript("me", talk.id)
        assert [one.question for one in transcript.turns] == ["Who is there?", "And now?", "And later?"]
        assert [one.answer.text for one in transcript.generations] == ["Half an answer"] * 3
        assert transcript.conversation.title == "Who is there?"


async def test_a_server_ends_during_a_stall_and_reports_the_loss(
    client: AsyncClient, half: StandIn, database_url: str, still, *, caplog, monkeypatch: pytest.MonkeyPatch
):
    for module in (stored_repository, database_module):
        monkeypatch.setattr(module, "_LAST_SECONDS", 0.1)
    async with still as standing:
        conversations = Conversations(lambda: Database.open(database_url))
        await conversations.begin()
        async with standing(), asyncio.timeout(TIMEOUT / 4):
            made = ask(client, conversations.start("me"), half)
            await made.generation.wait_for_end()
            await until(lambda: stands_still(conversations))
            await conversations.end()
    [line] = [one.getMessage() for one in caplog.records if one.levelno == logging.ERROR]
    assert line == "conversations with unsaved changes that are lost: 1"


async def test_a_slow_or_late_reported_write_is_not_a_stall(database: Database):
    async with database.writing() as connection:
        for _ in range(4):
            assert not database.look(0.9 * WRITE_SECONDS)
            await connection.execute(sql("SELECT 1"))
        assert not database.look(0.9 * WRITE_SECONDS)
        if database.is_sqlite:
            for _ in range(8):
                assert not database.look(WRITE_SECONDS)


async def test_a_stalled_read_of_sqlite_is_noticed(sqlite_url: str):
    goes_on = threading.Event()
    database = await Database.open(sqlite_url)

    async def read() -> None:
        async with database.reading() as connection:
            driver = (await connection.get_raw_connection()).driver_connection
            await driver.create_function("stand", 0, lambda: goes_on.wait(TIMEOUT) and None)
            await connection.execute(sql("SELECT stand()"))

    reading = asyncio.create_task(read())
    await until(lambda: database.look(WRITE_SECONDS / 2))
    goes_on.set()
    await reading
    assert not database.look(WRITE_SECONDS)
    await database.close()


async def test_a_long_computation_in_sqlite_is_not_a_stall(sqlite_url: str):
    database = await Database.open(sqlite_url)
    is_still: list[bool] = []
    # A single step of SQLite's VM compares the whole text.
    long_step = "length(replace(hex(zeroblob(2000000)), '0', 'ab'))"
    async with database.writing() as connection:
        driver = (await connection.get_raw_connection()).driver_connection
        await driver.create_function("look", 0, lambda: is_still.append(database.look(0.6 * WRITE_SECONDS)))
        await connection.execute(sql(f"SELECT look(), {long_step}, look(), {long_step}, look()"))
    assert is_still == [False] * 3
    await database.close()
