"""PostgreSQL and Redis over TLS: connected to where the certificate is right, and refused in words where it is not."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from redis.asyncio import Redis
from redis.exceptions import ConnectionError as RedisConnectionError
from sqlalchemy import text

from chat_ui.conversations.redis_connection import redis_at
from chat_ui.conversations.store.database import Database
from chat_ui.conversations.store.unavailable import StoreUnavailableError
from tests.app import free_port
from tests.certificates import self_signed
from tests.postgresql import PostgreSQL, postgresql_for_tests
from tests.redis_server import running_redis

pytestmark = pytest.mark.thorough
PASSWORD = "s3cret"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return self_signed(tmp_path_factory.mktemp("tls"), "DNS:localhost")


@pytest.fixture(scope="module")
def stranger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return self_signed(tmp_path_factory.mktemp("stranger"), "DNS:localhost")[0]


@pytest.fixture(scope="module")
def postgresql(certificate: tuple[Path, Path]) -> Iterator[PostgreSQL]:
    with postgresql_for_tests() as server:
        server.want_tls(*certificate)
        yield server


def url_of(server: PostgreSQL, host: str, **parameters: object) -> str:
    query = "&".join(f"{name}={value}" for name, value in parameters.items())
    return f"postgresql://postgres:{PASSWORD}@{host}:{server.port}/postgres?{query}"


@pytest.mark.parametrize("mode", ["require", "verify-ca", "verify-full"])
async def test_postgresql_is_asked_for_tls_as_its_url_says(postgresql: PostgreSQL, certificate, mode: str):
    url = url_of(postgresql, "localhost", sslmode=mode, sslrootcert=certificate[0], application_name="chat")
    database = await Database.open(url)
    try:
        async with database.reading() as connection:
            query = "SELECT ssl, application_name FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) "
            row = await connection.execute(text(f"{query} WHERE pid = pg_backend_pid()"))
            assert tuple(row.one()) == (True, "chat")
    finally:
        await database.close()


async def test_a_certificate_of_somebody_else_is_refused_in_words_without_the_password(postgresql, stranger: Path):
    with pytest.raises(StoreUnavailableError, match="certificate verify failed") as refused:
        await Database.open(url_of(postgresql, "localhost", sslmode="verify-full", sslrootcert=stranger))
    assert PASSWORD not in str(refused.value)


async def test_a_certificate_for_another_name_is_refused_in_words(postgresql: PostgreSQL, certificate):
    with pytest.raises(StoreUnavailableError, match="certificate is not valid for"):
        await Database.open(url_of(postgresql, "127.0.0.1", sslmode="verify-full", sslrootcert=certificate[0]))


async def test_a_mode_that_postgresql_does_not_know_is_told_in_words(postgresql: PostgreSQL):
    with pytest.raises(StoreUnavailableError, match="sslmode"):
        await Database.open(url_of(postgresql, "localhost", sslmode="perhaps"))


@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [
        ("/postgres?", "/another?", 'database "another" does not exist'),
        ("//postgres:", "//stranger:", 'role "stranger" does not exist'),
        ("?", f"?port={PASSWORD}&", "its URL cannot be read"),
        ("?", "?nonsense=1&", 'unrecognized configuration parameter "nonsense"'),
        ("?", "?ssl_min_protocol_version=TLSv9&", "No such TLS version"),
    ],
)
async def test_what_is_wrong_with_a_url_is_told_without_the_password(postgresql, right: str, wrong: str, told: str):
    with pytest.raises(StoreUnavailableError, match=told) as refused:
        await Database.open(url_of(postgresql, "localhost", sslmode="require").replace(right, wrong, 1))
    assert PASSWORD not in str(refused.value)


@asynccontextmanager
async def asking_redis(certificate: tuple[Path, Path], trusted: Path, host: str = "localhost") -> AsyncIterator[Redis]:
    port = free_port()
    with running_redis() as server:
        server.stop()
        tls = ("--tls-port", str(port), "--tls-auth-clients", "no", "--tls-ca-cert-file", str(certificate[0]))
        server.start(*tls, "--tls-cert-file", str(certificate[0]), "--tls-key-file", str(certificate[1]))
        redis = redis_at(f"rediss://{host}:{port}/0?ssl_ca_certs={trusted}")
        try:
            yield redis
        finally:
            await redis.aclose()


async def test_redis_is_asked_over_tls(certificate: tuple[Path, Path]):
    async with asking_redis(certificate, trusted=certificate[0]) as redis:
        assert await redis.ping()


async def test_a_redis_with_the_certificate_of_somebody_else_is_not_asked(certificate, stranger: Path):
    async with asking_redis(certificate, trusted=stranger) as redis:
        with pytest.raises(RedisConnectionError, match="certificate verify failed"):
            await redis.ping()


async def test_a_redis_with_a_certificate_for_another_name_is_not_asked(certificate: tuple[Path, Path]):
    async with asking_redis(certificate, trusted=certificate[0], host="127.0.0.1") as redis:
        with pytest.raises(RedisConnectionError, match="certificate is not valid for"):
            await redis.ping()
