"""A database that an earlier version left is brought to the newest schema, with everything that is in it.

`schemas/` holds one for each earlier schema: a SQLite file, and a dump of PostgreSQL.
"""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest
from sqlalchemy import text

from chat_ui.conversations.store.conversation_list import StoredList
from chat_ui.conversations.store.database import Database, engine_at
from chat_ui.conversations.store.store import Store
from chat_ui.conversations.store.unavailable import StoreUnavailableError
from tests.conversations.earlier import EARLIER, SCHEMAS, STEPS
from tests.conversations.kept import ANSWER, conversation, transcript_bytes
from tests.postgresql import PostgreSQL


@pytest.fixture(params=["sqlite", "postgresql"])
def earlier_url(request: pytest.FixtureRequest, tmp_path: Path, earlier: str) -> str:
    """The URL of a database of an earlier schema."""
    if request.param == "sqlite":
        (tmp_path / "chat.db").write_bytes(gzip.decompress((SCHEMAS / f"{earlier}.db.gz").read_bytes()))
        return f"sqlite:///{tmp_path / 'chat.db'}"
    server: PostgreSQL = request.getfixturevalue("postgresql")
    return server.restore(f"schema_{earlier}", (SCHEMAS / f"{earlier}.sql").read_bytes())


@pytest.mark.parametrize("earlier", EARLIER)
async def test_everything_of_an_earlier_schema_is_there_in_the_newest(earlier_url: str):
    database = await Database.open(earlier_url)
    try:
        store, lists = Store(database), StoredList(database)
        assert await store.current("me") == conversation().id
        transcript = await store.transcript("me", conversation().id)
        assert transcript.conversation == conversation()
        assert [turn.question for turn in transcript.turns] == ["What colour are buoys?"]
        assert [one.answer for one in transcript.generations] == [ANSWER]
        assert [one.conversation.id for one in await lists.search("me", "ünïcode", 5)] == [conversation().id]
        measured = transcript_bytes(transcript)
        assert await lists.bytes_of("me") == (measured, 0)
        assert await lists.bytes_of_all() == measured
        async with database.reading() as connection:
            version = (await connection.execute(text("SELECT version_num FROM alembic_version"))).scalar_one()
        assert version == STEPS.get_current_head()
    finally:
        await database.close()


async def test_a_database_of_a_newer_version_is_left_alone(database_url: str):
    await (await Database.open(database_url)).close()
    engine = engine_at(database_url)
    async with engine.begin() as connection:
        await connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    await engine.dispose()
    with pytest.raises(StoreUnavailableError):
        await Database.open(database_url)
