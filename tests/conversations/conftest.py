"""Both databases, each test with an empty one, Redis, and a client of backends."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from chat_ui.conversations import redis_connection
from chat_ui.conversations.store import database as database_module
from chat_ui.conversations.store.database import Database
from chat_ui.protocol.backends.backend import Bounds
from chat_ui.protocol.transport.client import Client
from tests.patience import PATIENCE
from tests.postgresql import PostgreSQL, postgresql_for_tests
from tests.redis_server import RedisServer, running_redis


@pytest.fixture(autouse=True)
def _patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a busy machine take its time: none of these tests is about a database or a Redis that says nothing."""
    for module in (database_module, redis_connection):
        monkeypatch.setattr(module, "ANSWER_SECONDS", PATIENCE)


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgreSQL]:
    with postgresql_for_tests() as server:
        yield server


@pytest.fixture(scope="module")
def redis() -> Iterator[RedisServer]:
    """A Redis of this file's tests, which may end it and start it again."""
    with running_redis() as server:
        yield server


@pytest.fixture(scope="session")
def empty_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with the newest schema and nothing in it: making one takes some 50 ms."""
    made = tmp_path_factory.mktemp("empty") / "chat.db"

    async def make() -> None:
        await (await Database.open(f"sqlite:///{made}")).close()

    asyncio.run(make())
    return made


@pytest.fixture(params=["sqlite", "postgresql"])
def database_url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an empty database."""
    if request.param == "sqlite":
        return f"sqlite:///{shutil.copy(request.getfixturevalue('empty_sqlite'), tmp_path)}"
    server: PostgreSQL = request.getfixturevalue("postgresql")
    return server.emptied_database()


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    opened = await Database.open(database_url)
    yield opened
    await opened.close()


@pytest.fixture
async def elsewhere(database: Database, database_url: str) -> AsyncIterator[Database]:
    """The same database as another server has it. SQLite belongs to one server: it is that server's own there."""
    if database.is_sqlite:
        yield database
        return
    opened = await Database.open(database_url)
    yield opened
    await opened.close()


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    async with Client(Bounds(connect=30, first_byte=60, idle=60)) as opened:
        yield opened
