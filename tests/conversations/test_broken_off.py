"""A schema that was broken off while it was made, at whichever statement, is whole after the next start."""

from __future__ import annotations

import gzip
import resource
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, event
from sqlalchemy.ext.asyncio import create_async_engine

from chat_ui.conversations.records.records import Changes
from chat_ui.conversations.store.conversation_list import StoredList
from chat_ui.conversations.store.database import Database
from chat_ui.conversations.store.migrations.upgrade import upgrade
from chat_ui.conversations.store.store import Store
from chat_ui.conversations.store.unavailable import StoreUnavailableError
from tests.conversations.earlier import EARLIER, SCHEMAS
from tests.conversations.kept import conversation, generation, transcript_bytes, turn

PAGE = 4096
BEGINNINGS = ["", *EARLIER]
"""What is there before: nothing, or a database of an earlier schema."""
FEW_STEPS = "0004"
"""The beginning from which every run breaks off."""


class CrashError(Exception):
    """The process ends here."""


def begin_with(earlier: str, folder: Path) -> Path:
    folder.mkdir()
    if earlier:
        (folder / "chat.db").write_bytes(gzip.decompress((SCHEMAS / f"{earlier}.db.gz").read_bytes()))
    return folder


@contextmanager
def at_each_statement(act: Callable[[], None]) -> Iterator[None]:
    def before(*_arguments: Any) -> None:
        act()

    event.listen(Engine, "before_cursor_execute", before)
    try:
        yield
    finally:
        event.remove(Engine, "before_cursor_execute", before)


async def open_in(folder: Path) -> Database:
    return await Database.open(f"sqlite:///{folder / 'chat.db'}")


async def check_whole(folder: Path, earlier: str) -> None:
    """The store takes, gives and finds everything, with what was there before."""
    database = await open_in(folder)
    store, lists = Store(database), StoredList(database)
    try:
        kept = conversation(2)
        await store.write(Changes((kept,), (turn(kept),), (generation(turn(kept)),)))
        known = [conversation(2), *([conversation(1)] if earlier else [])]
        assert [one.conversation for one in await lists.search("me", "ünïcode", 5)] == known
        assert [one.conversation for one in await lists.search("me", "colour", 5)] == known
        sizes = [transcript_bytes(one) async for one in store.transcripts("me")]
        assert await lists.bytes_of("me") == (sum(sizes), 0)
        assert await lists.delete_all("me") == len(known)
    finally:
        await database.close()


@pytest.mark.thorough
@pytest.mark.parametrize("earlier", BEGINNINGS)
async def test_a_crash_at_any_statement_leaves_a_store_that_the_next_start_uses(tmp_path: Path, earlier: str):
    folder = begin_with(earlier, tmp_path / "data")
    numbers = count(1)

    def leave_a_copy() -> None:
        shutil.copytree(folder, tmp_path / f"crashed {next(numbers)}", ignore=shutil.ignore_patterns("*.lock"))

    with at_each_statement(leave_a_copy):
        await (await open_in(folder)).close()
    crashed = list(tmp_path.glob("crashed *"))  # noqa: ASYNC240 - nothing else runs here
    assert len(crashed) > 1
    for left in (*crashed, folder):
        await check_whole(left, earlier)


async def left_by_an_earlier_version(folder: Path, last: int) -> bool:
    """Make the schema as earlier versions did, with Python's own transactions, up to a statement; whether it was made
    to its end.
    """
    engine = create_async_engine(f"sqlite+aiosqlite:///{folder / 'chat.db'}")
    statements = count(1)

    def crash() -> None:
        if next(statements) > last:
            raise CrashError

    with at_each_statement(crash), suppress(CrashError):
        await upgrade(engine)
        last = 0
    await engine.dispose()
    return not last


@pytest.mark.parametrize(
    "earlier", [one if one == FEW_STEPS else pytest.param(one, marks=pytest.mark.thorough) for one in BEGINNINGS]
)
async def test_what_an_earlier_version_broke_off_is_mended_with_what_is_in_it(tmp_path: Path, earlier: str):
    for last in count(1):
        folder = begin_with(earlier, tmp_path / f"data {last}")
        is_whole = await left_by_an_earlier_version(folder, last)
        await check_whole(folder, earlier)
        if is_whole:
            return


@contextmanager
def no_file_beyond(most: int) -> Iterator[None]:
    """While this lasts, no file of this process grows beyond so many bytes, as on a disk that is full."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.thorough
@pytest.mark.parametrize("earlier", BEGINNINGS)
async def test_a_disk_that_is_full_at_any_write_leaves_a_store_that_is_used_once_there_is_room(
    tmp_path: Path, earlier: str
):
    failures = 0
    for pages in count(0):
        folder = begin_with(earlier, tmp_path / f"data {pages}")
        with no_file_beyond(pages * PAGE):
            try:
                await (await open_in(folder)).close()
            except StoreUnavailableError:
                failures += 1
                opened = False
            else:
                opened = True
        await check_whole(folder, earlier)
        if opened:
            break
    assert failures > 5
