"""A store that cannot be used says why, to people and to whoever runs the server, and is used again after that."""

from __future__ import annotations

import asyncio
import errno
import shutil
import sqlite3
from itertools import count
from pathlib import Path

import asyncpg
import pytest
from alembic.util import CommandError
from sqlalchemy.exc import ArgumentError, DBAPIError

from chat_ui.conversations.conversations import Conversations
from chat_ui.conversations.store import database as database_module
from chat_ui.conversations.store.database import Database, file_at, unavailable
from chat_ui.conversations.store.unavailable import (
    StoreDamagedError,
    StoreFullError,
    StoreTooNewError,
    StoreUnavailableError,
)
from tests.backends.stand_in import StandIn
from tests.conversations.keeping import ask, execute, is_failing, keeping, kept, path_of, until, until_kept
from tests.postgresql import PostgreSQL


async def notice_of(conversations: Conversations, *, unkept: bool = True) -> str:
    """What the person is told, once that conversations are not kept has been noticed, or that they are again."""
    await is_failing(conversations, conversations.start("somebody"), is_so=unkept)
    return conversations.unkept_notice


def told(caplog: pytest.LogCaptureFixture) -> str:
    [line] = [record.getMessage() for record in caplog.records if "not being kept" in record.getMessage()]
    return line


async def test_an_error_that_nobody_thought_of_is_told_and_does_not_end_the_keeping(
    client, half: StandIn, sqlite_url: str, caplog
):
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
        await notice_of(conversations, unkept=False)
        await until_kept(conversations, made)
    finally:
        await conversations.end()
    assert {"the store failed in a way that is not known", "conversations are being kept again"} <= {*caplog.messages}


@pytest.mark.thorough
async def test_a_postgresql_that_is_lost_twice_while_what_the_first_loss_ended_is_cleared_up_is_found_again(
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
            with pytest.raises(StoreUnavailableError, match="says nothing"):
                await database.touch()
        assert database.is_away
        cleared.set()
        with pytest.raises(StoreUnavailableError):
            await reading
    await database.touch()
    assert not database.is_away
    await database.close()


async def test_a_file_that_is_damaged_is_told_from_a_store_that_cannot_be_reached(tmp_path: Path, caplog):
    (tmp_path / "chat.db").write_bytes(b"This is no database. " * 1000)
    async with keeping(f"sqlite:///{tmp_path / 'chat.db'}") as conversations:
        notice = await notice_of(conversations)
    assert [words in notice for words in ("damaged", "backup", "as soon as")] == [True, True, False]
    assert "file of the database is damaged" in told(caplog)


async def test_a_store_of_a_newer_version_says_which_version_is_needed(database_url: str, caplog):
    await execute(database_url, "UPDATE alembic_version SET version_num = '9999'")
    async with keeping(database_url) as conversations:
        notice = await notice_of(conversations)
    assert [words in notice for words in ("newer version of this app", "as soon as")] == [True, False]
    assert "newer version of this app; start that version again" in told(caplog)


async def test_a_file_that_is_gone_is_noticed_and_known_at_once_by_whoever_asks(sqlite_url: str):
    async with keeping(sqlite_url) as conversations:
        assert await conversations.can_be_kept()
        path_of(sqlite_url).unlink()
        assert not await conversations.can_be_kept()
        # A connection that was being opened then cannot tell why that failed.
        await until(lambda: "moved or deleted" in conversations.unkept_notice)
        assert not path_of(sqlite_url).exists()


async def test_what_was_said_while_the_file_was_elsewhere_is_kept_once_it_is_back(client, half, sqlite_url: str):
    path = path_of(sqlite_url)
    async with keeping(sqlite_url) as conversations:
        talk = conversations.start("me")
        await ask(client, talk, half).generation.wait_for_end()
        elsewhere = path.rename(path.with_name("elsewhere.db"))
        await notice_of(conversations)
        made = ask(client, talk, half, "And now?")
        await made.generation.wait_for_end()
        elsewhere.rename(path)
        await notice_of(conversations, unkept=False)
    async with keeping(sqlite_url) as conversations:
        again = await conversations.get("me", talk.id)
        assert [turn.question for turn in again.turns] == ["Who is there?", "And now?"]
        assert (await kept(conversations, made)).answer.text == "Half an answer"


async def test_a_backup_that_takes_the_place_of_the_file_is_used(client, half, sqlite_url: str, tmp_path: Path):
    async with keeping(sqlite_url) as conversations:
        talk = conversations.start("me")
        await ask(client, talk, half).generation.wait_for_end()
    backup = Path(shutil.copy(path_of(sqlite_url), tmp_path / "backup.db"))
    async with keeping(sqlite_url) as conversations:
        made = ask(client, conversations.start("me"), half)
        await made.generation.wait_for_end()
        await notice_of(conversations, unkept=False)
        await until_kept(conversations, made)
        path_of(sqlite_url).unlink()
        await notice_of(conversations)
        backup.rename(path_of(sqlite_url))
        await notice_of(conversations, unkept=False)
        another = conversations.start("you")
        await ask(client, another, half).generation.wait_for_end()
    async with keeping(sqlite_url) as conversations:
        assert await conversations.get("me", talk.id) is not None
        assert await conversations.get("you", another.id) is not None


async def test_a_store_that_cannot_be_opened_says_what_the_database_says_of_it(tmp_path: Path):
    (tmp_path / "chat.db").mkdir()
    with pytest.raises(StoreUnavailableError, match=r"Is a directory|unable to open database file"):
        await Database.open(f"sqlite:///{tmp_path / 'chat.db'}")


def of_sqlite(code: int, words: str = "of the file") -> sqlite3.Error:
    error = sqlite3.OperationalError(words)
    error.sqlite_errorcode = code
    return error


def through(error: BaseException) -> DBAPIError:
    """As SQLAlchemy passes on an error of its driver."""
    return DBAPIError("INSERT INTO turn VALUES (?)", ("a secret question",), error)


def test_what_is_wrong_with_the_database_is_told_in_words():
    wrong: dict[Exception, tuple[type, str]] = {
        TimeoutError(): (StoreUnavailableError, "cannot be read: it says nothing"),
        through(TimeoutError()): (StoreUnavailableError, "cannot be read: it says nothing"),
        OSError(errno.ENOSPC, "no space"): (StoreFullError, "cannot be read: the disk is full"),
        OSError(errno.ECONNREFUSED, "refused"): (StoreUnavailableError, f"[Errno {errno.ECONNREFUSED}] refused"),
        through(of_sqlite(sqlite3.SQLITE_FULL)): (StoreFullError, "the disk is full"),
        through(of_sqlite(sqlite3.SQLITE_CORRUPT)): (StoreDamagedError, "is damaged (of the file)"),
        through(of_sqlite(sqlite3.SQLITE_CORRUPT | 1 << 8)): (StoreDamagedError, "is damaged (of the file)"),
        of_sqlite(sqlite3.SQLITE_NOTADB): (StoreDamagedError, "is damaged (of the file)"),
        through(of_sqlite(sqlite3.SQLITE_BUSY, "database is locked")): (StoreUnavailableError, "database is locked"),
        through(asyncpg.exceptions.DiskFullError("no space")): (StoreFullError, "the disk is full"),
        asyncpg.exceptions.InvalidPasswordError("of nobody"): (StoreUnavailableError, "cannot be read: of nobody"),
        CommandError("no such step"): (StoreTooNewError, "by a newer version"),
        ArgumentError("from postgresql://me:secret@x"): (StoreUnavailableError, "its URL cannot be read"),
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
        # Such an error may tell a value.
        assert str(unavailable("written", error)) == f"the database cannot be written: {type(error).__name__}"
        wrapped = ValueError("a secret value")
        wrapped.__cause__ = error
        assert str(unavailable("written", through(wrapped))).endswith(f": {type(error).__name__}")


def test_a_file_is_known_wherever_it_is_moved(tmp_path: Path):
    first, second = tmp_path / "first", tmp_path / "second"
    assert file_at(first) is None
    first.touch()
    second.touch()
    known = file_at(first)
    assert known not in (None, file_at(second))
    first.rename(second)
    assert (file_at(first), file_at(second)) == (None, known)
