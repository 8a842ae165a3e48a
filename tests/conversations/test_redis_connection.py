"""Messages between processes over Redis, and lost connections to it."""

import asyncio
import json
import socket
import struct
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from secrets import token_hex

import pytest
import uvloop
from redis import Redis as Admin
from redis.asyncio import Redis
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError, ResponseError
from redis.exceptions import TimeoutError as RedisTimeoutError

from chat_ui.conversations import redis_connection
from chat_ui.conversations.generations import workers as workers_module
from chat_ui.conversations.generations.workers import Notice, Workers
from chat_ui.conversations.redis_connection import give_up_soon, log_refusal, redis_at
from tests.conversations.repository import until
from tests.redis_server import RedisServer, running_redis
from tests.stand_ins.connections import pass_on
from tests.timeouts import TIMEOUT

AT_ONCE = 100
SOON = 1.0
"""Seconds after which a silent Redis counts as silent. Any other may take longer on a busy machine."""
RESET = struct.pack("ii", 1, 0)


@pytest.fixture
def resetting() -> Iterator[str]:
    """The URL of a server that resets every connection."""
    with socket.create_server(("127.0.0.1", 0), backlog=AT_ONCE) as listening:

        def reset_all() -> None:
            with suppress(OSError):
                while True:
                    with listening.accept()[0] as accepted:
                        accepted.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)

        resetter = threading.Thread(target=reset_all)
        resetter.start()
        yield f"redis://127.0.0.1:{listening.getsockname()[1]}"
        listening.shutdown(socket.SHUT_RDWR)
        resetter.join()


@pytest.mark.parametrize(
    ("new_loop", "of_reflex"),
    [(asyncio.new_event_loop, False), (uvloop.new_event_loop, True)],
    ids=["own", "of Reflex"],
)
def test_a_connection_reset_at_once_is_lost(new_loop, of_reflex, resetting):
    async def ask_all_at_once() -> list[object]:
        redis = Redis.from_url(resetting) if of_reflex else redis_at(resetting)
        give_up_soon(redis)
        said = await asyncio.gather(*(redis.ping() for _ in range(AT_ONCE)), return_exceptions=True)
        await redis.aclose()
        return said

    with asyncio.Runner(loop_factory=new_loop) as runner:
        assert {type(said) for said in runner.run(ask_all_at_once())} == {RedisConnectionError}


@pytest.fixture
async def silent() -> AsyncIterator[tuple[str, list[asyncio.StreamWriter]]]:
    """The URL of a server that never answers, and its connections."""
    taken: list[asyncio.StreamWriter] = []
    server = await asyncio.start_server(lambda _, writer: taken.append(writer), "127.0.0.1", 0)
    yield f"redis://127.0.0.1:{server.sockets[0].getsockname()[1]}", taken
    server.close()
    for writer in taken:
        writer.close()


async def test_only_the_first_call_waits_for_a_silent_redis(silent, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(redis_connection, "ANSWER_SECONDS", SOON)
    url, taken = silent
    text, of_bytes = redis_at(url), redis_at(url, as_text=False)
    with pytest.raises(RedisError):
        await text.get("a")
    before = len(taken)
    for redis in (text, of_bytes):
        for _ in range(500):
            with pytest.raises(RedisConnectionError, match="silent"):
                await redis.get("a")
    # The calls that look for Redis.
    assert len(taken) - before < 20
    await text.aclose()
    await of_bytes.aclose()


async def test_waiting_calls_are_told_of_a_lost_redis_and_served_afterwards(monkeypatch: pytest.MonkeyPatch):
    with running_redis() as server:
        redis, other = redis_at(server.url), redis_at(server.url, as_text=False)
        assert await redis.ping()
        with server.silent(), monkeypatch.context() as patched:
            patched.setattr(redis_connection, "ANSWER_SECONDS", SOON)
            said = await asyncio.gather(*(one.get("a") for one in (redis, other) * 10), return_exceptions=True)
            assert all(isinstance(one, RedisError) for one in said)
        async with asyncio.timeout(TIMEOUT):
            while True:
                with suppress(RedisError):
                    assert await redis.ping()
                    break
                await asyncio.sleep(0.05)
        assert await other.ping()
        await redis.aclose()
        await other.aclose()


def test_each_url_scheme_keeps_its_kind_of_connection():
    for scheme in ("redis", "rediss", "unix"):
        plain = Redis.from_url(f"{scheme}:///tmp/redis").connection_pool.connection_class
        assert issubclass(redis_at(f"{scheme}:///tmp/redis").connection_pool.connection_class, plain)


def test_a_refusal_of_redis_is_logged_and_a_lost_connection_is_not(caplog: pytest.LogCaptureFixture):
    for error in (ResponseError("OOM"), RedisConnectionError(), RedisTimeoutError()):
        log_refusal("not kept", error)
    assert [one.getMessage() for one in caplog.records] == ["not kept: ResponseError"]


class Target:
    """A path to Redis that a test can cut."""

    def __init__(self, redis: RedisServer) -> None:
        self.redis = redis
        self.port = 0
        self._server: asyncio.Server | None = None
        self._writers: set[asyncio.StreamWriter] = set()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

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
        await asyncio.gather(pass_on(reader, to_there), pass_on(there, writer))


@pytest.fixture
async def way(redis: RedisServer) -> AsyncIterator[Target]:
    opened = Target(redis)
    await opened.open()
    yield opened
    await opened.cut()


class Process:
    """A subscriber that also publishes."""

    def __init__(self, url: str) -> None:
        self.redis = redis_at(url)
        self.heard: list[Notice] = []
        self.missed = 0
        self.workers = Workers(self.redis, self.heard.append, self._missed)

    def _missed(self) -> None:
        self.missed += 1


@asynccontextmanager
async def telling(*urls: str) -> AsyncIterator[list[Process]]:
    async with AsyncExitStack() as stack:
        those = [Process(url) for url in urls]
        for process in those:
            await process.workers.start()
            stack.push_async_callback(process.redis.aclose)
            stack.push_async_callback(process.workers.close)
            await until(lambda process=process: process.missed)
        yield those


async def test_each_other_process_gets_a_message_also_from_a_newer_version(redis: RedisServer):
    async with telling(redis.url, redis.url) as (one, other):
        with Admin(port=redis.port) as admin:
            for said in ({"from": "x", "colour": "red"}, {"from": "x", "conversation": "b", "colour": "red"}):
                admin.publish("chat-ui:notices", json.dumps(said))
        await until(lambda: Notice(conversation="b") in one.heard)
        one.workers.tell(Notice(conversation="c"))
        await until(lambda: Notice(conversation="c") in other.heard)
        assert [heard.count(Notice(conversation="c")) for heard in (one.heard, other.heard)] == [0, 1]


async def test_a_closed_channel_sends_and_receives_no_more(redis: RedisServer):
    def at_work() -> list[str]:
        return [task.get_name() for task in asyncio.all_tasks() if task.get_name().endswith(" notices")]

    async with telling(redis.url) as (one,):
        assert sorted(at_work()) == ["hearing notices", "telling notices"]
        await one.workers.close()
        assert at_work() == []


async def test_a_new_connection_reports_a_possible_gap(redis: RedisServer):
    async with telling(redis.url) as (one,):
        before = one.missed
        with Admin(port=redis.port) as admin:
            assert admin.client_kill_filter(_type="pubsub") == 1
        await until(lambda: one.missed > before)
        assert not one.workers.unavailable


async def test_an_unanswered_connection_is_lost(redis: RedisServer, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(workers_module, "_POLL_SECONDS", 0.05)
    async with telling(redis.url) as (one,):
        with redis.silent():
            await until(lambda: one.workers.unavailable)
        await until(lambda: not one.workers.unavailable)


async def test_a_failed_message_is_reported_to_the_others_as_a_gap(redis: RedisServer, way: Target):
    async with telling(way.url, redis.url) as (one, other):
        before = other.missed
        await way.cut()
        await until(lambda: one.workers.unavailable)
        one.workers.tell(Notice(conversation="c"))
        one.workers.tell(Notice(stop="g"))
        await way.open()
        await until(lambda: other.heard)
        assert other.heard == [Notice(stop="g")]
        assert other.missed == before + 1


async def test_the_first_process_asks_at_a_place_and_each_without_redis(redis: RedisServer):
    place = f"{token_hex(8)}:0"
    async with telling(redis.url, redis.url) as (one, other):
        for process, is_first in ((one, True), (other, False), (one, True)):
            assert await process.workers.first_to_ask(place, 60) is is_first
        assert await other.workers.first_to_ask(f"{place}1", 60)
        assert 50_000 < await one.redis.pttl(f"chat-ui:asking:{place}") <= 60_000
        assert await one.workers.reachable()
    alone = Process("redis://127.0.0.1:1/0")
    assert not await alone.workers.reachable()
    assert await alone.workers.first_to_ask(place, 60)
    await alone.redis.aclose()
