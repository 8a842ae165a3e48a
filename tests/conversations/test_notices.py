"""What processes tell each other arrives, or they know that something may have been missed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from secrets import token_hex

import pytest
from redis import Redis

from chat_ui.conversations.generations import workers as workers_module
from chat_ui.conversations.generations.generation import Signal
from chat_ui.conversations.generations.workers import Notice, Workers
from chat_ui.conversations.redis_connection import redis_at
from tests.patience import PATIENCE
from tests.redis_server import RedisServer


class Way:
    """A way to Redis that can be cut, or fall silent."""

    def __init__(self, redis: RedisServer) -> None:
        self.redis = redis
        self.flows = asyncio.Event()
        self.flows.set()
        self.port = 0
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()

    async def open(self) -> None:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def cut(self) -> None:
        self._server.close()
        for writer in self._writers:
            writer.close()

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, to_there = await asyncio.open_connection("127.0.0.1", self.redis.port)
        self._writers |= {writer, to_there}
        await asyncio.gather(self._pass_on(reader, to_there), self._pass_on(there, writer))

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(65536):
                await self.flows.wait()
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()


class Process:
    """One that hears and tells; `signal` announces each of it."""

    def __init__(self, url: str) -> None:
        self.redis = redis_at(url)
        self.workers = Workers(self.redis, self._heard, self._missed)
        self.heard: list[Notice] = []
        self.missed = 0
        self.signal = Signal()

    def _heard(self, notice: Notice) -> None:
        self.heard.append(notice)
        self.signal.bump()

    def _missed(self) -> None:
        self.missed += 1
        self.signal.bump()

    async def until(self, condition: Callable[[], bool]) -> None:
        seen = 0
        async with asyncio.timeout(PATIENCE):
            while not condition():
                seen = await self.signal.wait(seen)


@asynccontextmanager
async def telling(*urls: str) -> AsyncIterator[list[Process]]:
    async with AsyncExitStack() as stack:
        those = [Process(url) for url in urls]
        for process in those:
            await process.workers.start()
            stack.push_async_callback(process.redis.aclose)
            stack.push_async_callback(process.workers.close)
            await process.until(lambda process=process: process.missed > 0)
        yield those


async def test_each_other_process_hears_what_one_tells(redis: RedisServer):
    async with telling(redis.url, redis.url) as (one, other):
        one.workers.tell(Notice(conversation="c"))
        await other.until(lambda: other.heard == [Notice(conversation="c")])
        assert one.heard == []


async def test_who_is_closed_hears_and_tells_nothing_more(redis: RedisServer):
    def at_work() -> list[str]:
        return [task.get_name() for task in asyncio.all_tasks() if task.get_name().endswith(" notices")]

    async with telling(redis.url) as (one,):
        assert sorted(at_work()) == ["hearing notices", "telling notices"]
        await one.workers.close()
        assert at_work() == []


async def test_a_connection_that_was_made_anew_may_have_missed_something(redis: RedisServer):
    async with telling(redis.url) as (one,):
        before = one.missed
        with Redis(port=redis.port) as admin:
            assert admin.client_kill_filter(_type="pubsub") == 1
        await one.until(lambda: one.missed > before)
        assert not one.workers.away


async def test_a_connection_on_which_nothing_is_answered_is_lost(redis: RedisServer, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(workers_module, "_POLL_SECONDS", 0.05)
    way = Way(redis)
    await way.open()
    async with telling(f"redis://127.0.0.1:{way.port}/0") as (one,):
        way.flows.clear()
        await one.until(lambda: one.workers.away)
        way.flows.set()
        await one.until(lambda: not one.workers.away)
    await way.cut()


async def test_what_one_could_not_tell_the_others_know_that_they_missed(redis: RedisServer):
    way = Way(redis)
    await way.open()
    async with telling(f"redis://127.0.0.1:{way.port}/0", redis.url) as (one, other):
        before = other.missed
        await way.cut()
        await one.until(lambda: one.workers.away)
        one.workers.tell(Notice(conversation="c"))
        one.workers.tell(Notice(stop="g"))
        await way.open()
        await other.until(lambda: bool(other.heard))
        assert other.heard == [Notice(stop="g")]
        assert other.missed == before + 1
    await way.cut()


async def test_a_notice_of_a_newer_version_makes_nobody_deaf(redis: RedisServer):
    async with telling(redis.url) as (one,):
        with Redis(port=redis.port) as admin:
            for said in ({"from": "x", "colour": "red"}, {"from": "x", "conversation": "c", "colour": "red"}):
                admin.publish("chat-ui:notices", json.dumps(said))
        await one.until(lambda: Notice(conversation="c") in one.heard)


async def test_of_two_processes_one_is_first_to_ask_at_a_place(redis: RedisServer):
    place = f"{token_hex(8)}:0"
    async with telling(redis.url, redis.url) as (one, other):
        for process, is_first in ((one, True), (other, False), (one, True)):
            assert await process.workers.first_to_ask(place, 60) is is_first
        assert await other.workers.first_to_ask(f"{place}1", 60)
        assert 50_000 < await one.redis.pttl(f"chat-ui:asking:{place}") <= 60_000
        assert await one.workers.reachable()


async def test_without_redis_nobody_is_kept_from_asking():
    nowhere = redis_at("redis://127.0.0.1:1/0")
    workers = Workers(nowhere, lambda _: None, lambda: None)
    assert not await workers.reachable()
    assert await workers.first_to_ask("talk:0", 60)
    await nowhere.aclose()
