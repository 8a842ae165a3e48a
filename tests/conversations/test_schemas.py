"""Databases of earlier versions are migrated to the newest schema with all their rows.

`schemas/` has a SQLite file and a PostgreSQL dump for each earlier schema.
"""

import gzip
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from alembic.script import ScriptDirectory
from sqlalchemy import Engine, Inspector, event, inspect, text
from sqlalchemy.ext.asyncio import create_async_engine

from chat_ui.backends.vault import credential
from chat_ui.conversations.records.records import Changes
from chat_ui.conversations.store import schema
from chat_ui.conversations.store.conversation_list import StoredList
from chat_ui.conversations.store.database import Database, engine_at
from chat_ui.conversations.store.migrations import upgrade
from chat_ui.conversations.store.store import Store
from chat_ui.errors import StoreUnavailableError
from tests.conversations.kept import ANSWER, conversation, generation, transcript_bytes, turn
from tests.full_disk import room_for
from tests.made_sets import thinned
from tests.postgresql import PostgreSQL

SCHEMAS = Path(__file__).parent / "schemas"
STEPS = ScriptDirectory.from_config(upgrade._config())
EARLIER = [step.revision for step in STEPS.walk_revisions() if step.revision not in STEPS.get_heads()]


def test_the_steps_of_the_core_need_no_feature():
    assert list(ScriptDirectory(str(Path(upgrade.__file__).parent)).walk_revisions())


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.thorough)])
def earlier_url(request: pytest.FixtureRequest, tmp_path: Path, earlier: str) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{begin_with(earlier, tmp_path / 'data') / 'chat.db'}"
    server: PostgreSQL = request.getfixturevalue("postgresql")
    return server.restore(f"schema_{earlier}", (SCHEMAS / f"{earlier}.sql").read_bytes())


@pytest.mark.parametrize("earlier", thinned(EARLIER[::-1], len(EARLIER)))
async def test_all_rows_of_an_earlier_schema_are_in_the_newest(earlier_url: str):
    database = await Database.open(earlier_url)
    store, lists = Store(database), StoredList(database)
    assert await store.current("me") == conversation().id
    transcript = await store.transcript("me", conversation().id)
    assert transcript.conversation == conversation()
    assert [turn.question for turn in transcript.turns] == ["What colour are buoys?"]
    # Earlier answers had their citations in the text.
    assert [one.answer for one in transcript.generations] == [replace(ANSWER, citations=())]
    assert [one.conversation.id for one in await lists.search("me", "ünïcode", 5)] == [conversation().id]
    measured = transcript_bytes(transcript)
    assert await lists.bytes_of("me") == (measured, 0)
    assert await lists.bytes_of_all() == measured
    async with database.reading() as connection:
        version = await connection.scalar(text("SELECT version_num FROM alembic_version"))
    assert version == STEPS.get_current_head()
    await database.close()


def columns_of(inspector: Inspector, table: str) -> dict[str, tuple[bool, bool]]:
    """Nullability and key membership of each column of a table."""
    key = inspector.get_pk_constraint(table)["constrained_columns"]
    return {one["name"]: (bool(one["nullable"]), one["name"] in key) for one in inspector.get_columns(table)}


async def test_the_newest_schema_matches_the_tables_of_the_code(database_url: str):
    tables = [*schema.METADATA.sorted_tables, *([] if database_url.startswith("sqlite") else [credential])]
    engine = engine_at(database_url)
    async with engine.connect() as connection:
        inspector = await connection.run_sync(inspect)
        for table in tables:
            found = await connection.run_sync(lambda _, name=table.name: columns_of(inspector, name))
            # PostgreSQL has extra columns for the words of texts.
            found.pop("words", None)
            assert found == {one.name: (bool(one.nullable), one.primary_key) for one in table.columns}
        for name in ("turn", "generation"):
            unique = await connection.run_sync(lambda _, of=name: inspector.get_unique_constraints(of))
            assert [one["column_names"] for one in unique] == [["id"]]
    await engine.dispose()


PAGE = 4096
BEGINNINGS = ["", *EARLIER]
"""An empty database, or one of an earlier schema."""
FEW_STEPS = "0004"
"""The schema from which every run is broken off."""


class CrashError(Exception):
    """Stands for the end of the process."""


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
    """Check that the store writes, reads and searches, and has the former rows."""
    database = await open_in(folder)
    store, lists = Store(database), StoredList(database)
    kept = conversation(2)
    await store.write(Changes((kept,), (turn(kept),), (generation(turn(kept)),)))
    known = [kept, *([conversation(1)] if earlier else [])]
    for words in ("ünïcode", "colour"):
        assert [one.conversation for one in await lists.search("me", words, 5)] == known
    sizes = [transcript_bytes(one) async for one in store.transcripts("me")]
    assert await lists.bytes_of("me") == (sum(sizes), 0)
    assert await lists.delete_all("me") == len(known)
    await database.close()


@pytest.mark.thorough
@pytest.mark.parametrize("earlier", BEGINNINGS)
async def test_a_crash_at_any_statement_leaves_a_store_for_the_next_start(tmp_path: Path, earlier: str):
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
    """Migrate up to a statement as earlier versions did, with Python's own transactions. Returns whether it was the
    last.
    """
    engine = create_async_engine(f"sqlite+aiosqlite:///{folder / 'chat.db'}")
    statements = count(1)

    def crash() -> None:
        if next(statements) > last:
            raise CrashError

    with at_each_statement(crash), suppress(CrashError):
        await upgrade.upgrade(engine)
        last = 0
    await engine.dispose()
    return not last


@pytest.mark.parametrize(
    "earlier", [one if one == FEW_STEPS else pytest.param(one, marks=pytest.mark.thorough) for one in BEGINNINGS]
)
async def test_a_broken_migration_of_an_earlier_version_is_repaired(tmp_path: Path, earlier: str):
    for last in count(1):
        folder = begin_with(earlier, tmp_path / f"data {last}")
        is_complete = await left_by_an_earlier_version(folder, last)
        await check_whole(folder, earlier)
        if is_complete:
            return


@pytest.mark.thorough
@pytest.mark.parametrize("earlier", BEGINNINGS)
async def test_a_full_disk_at_any_write_leaves_a_usable_store(tmp_path: Path, earlier: str):
    for pages in count(0):
        folder = begin_with(earlier, tmp_path / f"data {pages}")
        is_full = False
        with room_for(pages * PAGE):
            try:
                await (await open_in(folder)).close()
            except StoreUnavailableError:
                is_full = True
        await check_whole(folder, earlier)
        if not is_full:
            break
    assert pages > 5
