"""A database that an earlier version left is brought to the newest schema, with everything that is in it.

`schemas/` holds one for each earlier schema: a SQLite file, and a dump of PostgreSQL.
"""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Inspector, inspect, text

from chat_ui.conversations.store import schema
from chat_ui.conversations.store.conversation_list import StoredList
from chat_ui.conversations.store.database import Database, engine_at
from chat_ui.conversations.store.store import Store
from chat_ui.profiles.vault import credential
from tests.conversations.earlier import EARLIER, SCHEMAS, STEPS
from tests.conversations.kept import ANSWER, conversation, transcript_bytes
from tests.made_sets import thinned
from tests.postgresql import PostgreSQL


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.thorough)])
def earlier_url(request: pytest.FixtureRequest, tmp_path: Path, earlier: str) -> str:
    """The URL of a database of an earlier schema."""
    if request.param == "sqlite":
        (tmp_path / "chat.db").write_bytes(gzip.decompress((SCHEMAS / f"{earlier}.db.gz").read_bytes()))
        return f"sqlite:///{tmp_path / 'chat.db'}"
    server: PostgreSQL = request.getfixturevalue("postgresql")
    return server.restore(f"schema_{earlier}", (SCHEMAS / f"{earlier}.sql").read_bytes())


@pytest.mark.parametrize("earlier", thinned(EARLIER[::-1], len(EARLIER)))
async def test_everything_of_an_earlier_schema_is_there_in_the_newest(earlier_url: str):
    database = await Database.open(earlier_url)
    try:
        store, lists = Store(database), StoredList(database)
        assert await store.current("me") == conversation().id
        transcript = await store.transcript("me", conversation().id)
        assert transcript.conversation == conversation()
        assert [turn.question for turn in transcript.turns] == ["What colour are buoys?"]
        # Answers of then had their citations in the text.
        assert [one.answer for one in transcript.generations] == [replace(ANSWER, citations=())]
        assert [one.conversation.id for one in await lists.search("me", "ünïcode", 5)] == [conversation().id]
        measured = transcript_bytes(transcript)
        assert await lists.bytes_of("me") == (measured, 0)
        assert await lists.bytes_of_all() == measured
        async with database.reading() as connection:
            version = (await connection.execute(text("SELECT version_num FROM alembic_version"))).scalar_one()
        assert version == STEPS.get_current_head()
    finally:
        await database.close()


def columns_of(inspector: Inspector, table: str) -> dict[str, tuple[bool, bool]]:
    """Of each column of a table, whether it may be empty and whether it is of the key."""
    key = inspector.get_pk_constraint(table)["constrained_columns"]
    return {one["name"]: (bool(one["nullable"]), one["name"] in key) for one in inspector.get_columns(table)}


async def test_the_newest_schema_is_the_one_that_is_written_to(database_url: str):
    tables = [*schema.METADATA.sorted_tables, *([] if database_url.startswith("sqlite") else [credential])]
    engine = engine_at(database_url)
    async with engine.connect() as connection:
        inspector = await connection.run_sync(inspect)
        for table in tables:
            found = await connection.run_sync(lambda _, name=table.name: columns_of(inspector, name))
            # PostgreSQL keeps the words of texts in columns of its own.
            found.pop("words", None)
            assert found == {one.name: (bool(one.nullable), one.primary_key) for one in table.columns}
        for name in ("turn", "generation"):
            unique = await connection.run_sync(lambda _, of=name: inspector.get_unique_constraints(of))
            assert [one["column_names"] for one in unique] == [["id"]]
    await engine.dispose()
