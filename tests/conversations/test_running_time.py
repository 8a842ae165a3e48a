"""A bound by the time for which the loop runs: a loop that is late at every step ends nothing that goes on."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from chat_ui.conversations import redis_connection, running_time
from chat_ui.conversations.redis_connection import redis_at
from chat_ui.conversations.running_time import within
from chat_ui.conversations.store import database as database_module
from chat_ui.conversations.store.database import READS_AT_ONCE, Database, engine_at
from chat_ui.profiles import vault as vault_module
from chat_ui.profiles.vault import Vault
from tests.late_loop import LATE, run_late
from tests.patience import PATIENCE
from tests.postgresql import PostgreSQL
from tests.redis_server import RedisServer


def test_what_goes_on_in_a_late_loop_is_not_ended():
    async def work() -> None:
        for seconds in (1.0, 5.0, None):
            async with within(seconds):
                for _ in range(40):
                    await asyncio.sleep(0)

    run_late(work)


def test_what_does_not_go_on_is_ended_in_a_late_loop_as_well():
    async def work() -> None:
        for seconds in (0.0, 1.0):
            with pytest.raises(TimeoutError):
                async with within(seconds):
                    await asyncio.Event().wait()

    run_late(work)


def test_a_sleep_of_a_late_loop_is_longer_than_its_seconds():
    async def work() -> None:
        began = asyncio.get_running_loop().time()
        await running_time.sleep(1.0)
        assert asyncio.get_running_loop().time() - began > 5 * LATE

    run_late(work)


@pytest.mark.thorough
def test_a_postgresql_that_answers_a_late_loop_is_not_away(postgresql: PostgreSQL, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(database_module, "ANSWER_SECONDS", 1.0)

    async def work() -> None:
        database = await Database.open(postgresql.url())
        for _ in range(3):
            await database.touch()
            async with database.reading():
                pass
        assert not database.is_away
        await database.close()

    run_late(work, PATIENCE)


@pytest.mark.thorough
def test_readers_of_a_postgresql_that_wait_for_each_other_are_not_told_that_it_is_silent(
    postgresql: PostgreSQL, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(database_module, "ANSWER_SECONDS", 1.0)

    async def work() -> None:
        database = await Database.open(postgresql.url())
        read: list[int] = []

        async def read_one(number: int) -> None:
            async with database.reading():
                read.append(number)

        async with AsyncExitStack() as held:
            for _ in range(READS_AT_ONCE):
                await held.enter_async_context(database.reading())
            waiting = asyncio.gather(*map(read_one, range(3)))
            for _ in range(200):
                await asyncio.sleep(0)
            assert not read
        await waiting
        assert sorted(read) == [0, 1, 2]
        await database.close()

    run_late(work, PATIENCE)


@pytest.mark.thorough
def test_people_who_wait_for_each_others_keys_are_not_told_that_the_database_is_silent(
    postgresql: PostgreSQL, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(vault_module, "ANSWER_SECONDS", 1.0)
    monkeypatch.setattr(vault_module, "READS_AT_ONCE", 1)

    async def work() -> None:
        await (await Database.open(postgresql.url())).close()
        vault = Vault(tmp_path, "secret", lambda: engine_at(postgresql.url()))
        found = await asyncio.gather(*(vault.find(f"{number}", "https://a.example") for number in range(40)))
        assert set(found) == {None}
        await vault.close()

    run_late(work, PATIENCE)


def test_a_redis_that_answers_a_late_loop_is_not_away(redis: RedisServer, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(redis_connection, "ANSWER_SECONDS", 1.0)

    async def work() -> None:
        connected = redis_at(redis.url)
        for _ in range(3):
            assert await connected.ping()
            await connected.connection_pool.disconnect()
        await connected.aclose()

    run_late(work, PATIENCE)
