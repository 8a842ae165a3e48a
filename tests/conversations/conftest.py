import asyncio
import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from chat_ui.conversations import redis_connection, stored_repository
from chat_ui.conversations.conversations import Conversations
from chat_ui.conversations.generations import redis_log
from chat_ui.conversations.store import database as database_module
from chat_ui.conversations.store.conversation_list import StoredList
from chat_ui.conversations.store.database import Database
from chat_ui.conversations.store.store import Store
from chat_ui.protocol.backends.backend import Bounds
from chat_ui.protocol.transport.client import AsyncClient
from tests.conversations.repository import FOR_EVER, HALF, made_empty, repository
from tests.postgresql import PostgreSQL, postgresql_for_tests
from tests.redis_server import RedisServer, running_redis
from tests.stand_ins.stand_in import Reply, StandIn
from tests.timeouts import TIMEOUT


@pytest.fixture(autouse=True)
def _seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Raise timeouts for a busy machine, and shorten waits."""
    for module in (database_module, redis_connection):
        monkeypatch.setattr(module, "ANSWER_SECONDS", TIMEOUT)
    monkeypatch.setattr(database_module, "_LAST_SECONDS", TIMEOUT)
    for name, seconds in {"FLUSH": 0.02, "RENEWAL": 0.1, "RETRY": 0.02, "LEASE": TIMEOUT}.items():
        monkeypatch.setattr(stored_repository, name, seconds)
    for name, seconds in {"RETRY": 0.02, "_QUIET_MS": 50, "ALIVE": TIMEOUT}.items():
        monkeypatch.setattr(redis_log, name, seconds)


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgreSQL]:
    """A server with a database, `empty`, that has the newest schema and no rows."""
    with postgresql_for_tests() as server:
        asyncio.run(made_empty(server.create_database("empty")))
        yield server


@pytest.fixture
def postgresql_url(postgresql: PostgreSQL) -> str:
    """The URL of an empty database."""
    return postgresql.copy_of("empty")


@pytest.fixture(scope="module")
def redis() -> Iterator[RedisServer]:
    """A Redis for the tests of a file, which may stop and restart it."""
    with running_redis() as server:
        yield server


@pytest.fixture(scope="session")
def empty_sqlite(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database with the newest schema and no rows. Making it takes some 50 ms."""
    made = tmp_path_factory.mktemp("empty") / "chat.db"
    asyncio.run(made_empty(f"sqlite:///{made}"))
    return made


@pytest.fixture
def sqlite_url(empty_sqlite: Path, tmp_path: Path) -> str:
    """The URL of an empty database."""
    return f"sqlite:///{shutil.copy(empty_sqlite, tmp_path)}"


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.thorough)])
def database_url(request: pytest.FixtureRequest) -> str:
    """The URL of an empty database of either kind."""
    return str(request.getfixturevalue(f"{request.param}_url"))


@pytest.fixture
async def database(database_url: str) -> AsyncIterator[Database]:
    opened = await Database.open(database_url)
    yield opened
    await opened.close()


@pytest.fixture
def store(database: Database) -> Store:
    return Store(database)


@pytest.fixture
def listed(database: Database) -> StoredList:
    return StoredList(database)


@pytest.fixture
async def client() -> AsyncIterator[AsyncClient]:
    async with AsyncClient(Bounds(connect_timeout=30, first_byte_timeout=60, idle_timeout=60)) as opened:
        yield opened


@pytest.fixture
async def half() -> AsyncIterator[StandIn]:
    """A backend with the answer “Half an answer”."""
    async with StandIn(Reply([HALF])).running() as backend:
        yield backend


@pytest.fixture
async def endless() -> AsyncIterator[StandIn]:
    """A backend whose answers never end after “Half an answer”."""
    async with StandIn(Reply([HALF, FOR_EVER])).running() as backend:
        yield backend


@pytest.fixture
async def conversations(sqlite_url: str) -> AsyncIterator[Conversations]:
    async with repository(sqlite_url) as opened:
        yield opened
