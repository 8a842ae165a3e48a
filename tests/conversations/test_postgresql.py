"""The store on PostgreSQL in every run, and PostgreSQL and Redis over TLS."""

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from redis.asyncio import Redis
from redis.exceptions import ConnectionError as RedisConnectionError
from sqlalchemy import text

from chat_ui.backends.credential import Credential
from chat_ui.backends.vault import Vault
from chat_ui.conversations.records.feedback import Rating
from chat_ui.conversations.records.records import Changes, Piece, Status, Transcript
from chat_ui.conversations.redis_connection import redis_at
from chat_ui.conversations.store.conversation_list import StoredList
from chat_ui.conversations.store.database import Database, engine_at
from chat_ui.conversations.store.store import Store
from chat_ui.conversations.store.stored_feedback import StoredFeedback
from chat_ui.errors import StoreUnavailableError, TooCostlyError, VaultError
from tests.app import free_port
from tests.certificates import self_signed
from tests.conversations.kept import conversation, generation, rated, turn
from tests.conversations.repository import ask, is_failing, repository, until_kept
from tests.postgresql import PostgreSQL, postgresql_for_tests
from tests.redis_server import running_redis
from tests.stand_ins.stand_in import StandIn


async def test_a_conversation_is_kept_found_rated_and_removed(postgresql_url: str):
    database = await Database.open(postgresql_url)
    store, lists, feedback = Store(database), StoredList(database), StoredFeedback(database)
    talk = conversation()
    asked = turn(talk)
    running, made = generation(asked, status=Status.RUNNING), generation(asked)
    await store.write(Changes((talk,), (asked,), (running,), (Piece(made.id, 0, "Half"),), current={"me": talk.id}))
    assert await store.lapsed(-1) == [made.id]
    assert await store.close_lapsed(-1, {made.id: ""}) == {talk.id}
    await store.write(Changes(generations=(made,)))
    assert await store.transcript("me", talk.id) == Transcript(talk, (asked,), (made,))
    assert await store.current("me") == talk.id
    assert [one.conversation for one in await lists.search("me", "ünïcode buoys", 5)] == [talk]
    await feedback.change("me", made.id, lambda one: rated(one, Rating.GOOD))
    assert [one.generation async for one in feedback.given(None, 0.0)] == [made]
    with pytest.raises(TooCostlyError):
        async with database.reading(0.1) as connection:
            await connection.exec_driver_sql("SELECT pg_sleep(60)")
    assert await lists.delete("me", talk.id)
    assert await lists.restore("me", talk.id)
    assert await lists.delete_all("me") == 1
    assert await lists.bytes_of_all() == 0
    await database.close()


async def test_an_answer_made_while_postgresql_was_away_is_kept(postgresql, postgresql_url: str, client, half: StandIn):
    async with repository(postgresql_url) as conversations:
        talk = conversations.start("me")
        first = ask(client, talk, half)
        await first.generation.wait_for_end()
        await until_kept(conversations, first)
        postgresql.stop()
        try:
            await ask(client, talk, half, "Still there?").generation.wait_for_end()
            await is_failing(conversations, talk)
        finally:
            postgresql.start()
        await is_failing(conversations, talk, is_so=False)
    async with repository(postgresql_url) as conversations:
        again = await conversations.current("me")
        assert [one.question for one in again.turns] == ["Who is there?", "Still there?"]
        assert [one.generation.status for one in again.turns] == [Status.FINISHED] * 2


async def test_a_key_is_readable_in_every_process_with_the_same_secret(postgresql_url: str, tmp_path: Path):
    origin = "https://backend.example:443"
    one, other, stranger = (
        Vault(tmp_path / name, secret, lambda: engine_at(postgresql_url))
        for name, secret in (("one", "shared"), ("other", "shared"), ("stranger", "own"))
    )
    await one.keep("me", origin, Credential("bearer", "kept-between-us"))
    assert await other.find("me", origin) == Credential("bearer", "kept-between-us")
    with pytest.raises(VaultError):
        await stranger.find("me", origin)
    for vault in (one, other, stranger):
        await vault.close()


PASSWORD = "s3cret"


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return self_signed(tmp_path_factory.mktemp("tls"), "DNS:localhost")


@pytest.fixture(scope="module")
def stranger(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return self_signed(tmp_path_factory.mktemp("stranger"), "DNS:localhost")[0]


@pytest.fixture(scope="module")
def over_tls(certificate: tuple[Path, Path]) -> Iterator[PostgreSQL]:
    with postgresql_for_tests() as server:
        server.want_tls(*certificate)
        yield server


def url_of(server: PostgreSQL, host: str = "localhost", **parameters: object) -> str:
    query = "&".join(f"{name}={value}" for name, value in parameters.items())
    return f"postgresql://postgres:{PASSWORD}@{host}:{server.port}/postgres?{query}"


@pytest.mark.thorough
@pytest.mark.parametrize("mode", ["require", "verify-ca", "verify-full"])
async def test_tls_to_postgresql_follows_the_url(over_tls: PostgreSQL, certificate, mode: str):
    url = url_of(over_tls, sslmode=mode, sslrootcert=certificate[0], application_name="chat")
    database = await Database.open(url)
    async with database.reading() as connection:
        query = "SELECT ssl, application_name FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) "
        row = await connection.execute(text(f"{query} WHERE pid = pg_backend_pid()"))
        assert tuple(row.one()) == (True, "chat")
    await database.close()


@pytest.mark.thorough
async def test_a_wrong_certificate_is_refused_without_the_password_in_words(
    over_tls: PostgreSQL, certificate: tuple[Path, Path], stranger: Path
):
    for url, told in (
        (url_of(over_tls, sslmode="verify-full", sslrootcert=stranger), "certificate verify failed"),
        (url_of(over_tls, "127.0.0.1", sslmode="verify-full", sslrootcert=certificate[0]), "is not valid for"),
        (url_of(over_tls, sslmode="perhaps"), "sslmode"),
    ):
        with pytest.raises(StoreUnavailableError, match=told) as refused:
            await Database.open(url)
        assert PASSWORD not in str(refused.value)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [
        ("/postgres?", "/another?", 'database "another" does not exist'),
        ("//postgres:", "//stranger:", 'role "stranger" does not exist'),
        ("?", f"?port={PASSWORD}&", "its URL is not valid"),
        ("?", "?nonsense=1&", 'unrecognized configuration parameter "nonsense"'),
        ("?", "?ssl_min_protocol_version=TLSv9&", "No such TLS version"),
    ],
)
async def test_errors_of_a_url_are_told_without_the_password(over_tls, right: str, wrong: str, told: str):
    with pytest.raises(StoreUnavailableError, match=told) as refused:
        await Database.open(url_of(over_tls, sslmode="require").replace(right, wrong, 1))
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


@pytest.mark.thorough
async def test_redis_is_used_over_tls_with_the_right_certificate(certificate, stranger: Path):
    async with asking_redis(certificate, trusted=certificate[0]) as redis:
        assert await redis.ping()
    for trusted, host, told in (
        (stranger, "localhost", "certificate verify failed"),
        (certificate[0], "127.0.0.1", "certificate is not valid for"),
    ):
        async with asking_redis(certificate, trusted=trusted, host=host) as redis:
            with pytest.raises(RedisConnectionError, match=told):
                await redis.ping()
