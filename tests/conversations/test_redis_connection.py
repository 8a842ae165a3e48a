"""What becomes of a connection to Redis that is lost."""

from __future__ import annotations

import asyncio
import socket
import struct
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress

import pytest
import uvloop
from redis.asyncio import Redis
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError, ResponseError
from redis.exceptions import TimeoutError as RedisTimeoutError

from chat_ui.conversations import redis_connection
from chat_ui.conversations.redis_connection import give_up_soon, log_refusal, redis_at
from tests.patience import PATIENCE
from tests.redis_server import running_redis

AT_ONCE = 100
SOON = 1.0
"""Seconds after which a Redis that is to say nothing counts as silent; on a busy machine any other may take longer."""
RESET = struct.pack("ii", 1, 0)


@pytest.fixture
def resetting() -> Iterator[str]:
    """The URL of a server that resets every connection as soon as it is there."""
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
def test_a_connection_that_is_reset_at_once_is_a_lost_one(new_loop, of_reflex, resetting):
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
    """The URL of a server that takes connections and says nothing, and the connections that it took."""
    taken: list[asyncio.StreamWriter] = []
    server = await asyncio.start_server(lambda _, writer: taken.append(writer), "127.0.0.1", 0)
    yield f"redis://127.0.0.1:{server.sockets[0].getsockname()[1]}", taken
    server.close()
    for writer in taken:
        writer.close()


async def test_of_a_redis_that_says_nothing_only_the_first_waits(silent, monkeypatch: pytest.MonkeyPatch):
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
    # Those that look for it.
    assert len(taken) - before < 20
    await text.aclose()
    await of_bytes.aclose()


async def test_whoever_waits_for_an_answer_hears_that_redis_is_lost_and_is_served_when_it_is_back(
    monkeypatch: pytest.MonkeyPatch,
):
    with running_redis() as server:
        redis, other = redis_at(server.url), redis_at(server.url, as_text=False)
        assert await redis.ping()
        with server.silent(), monkeypatch.context() as patched:
            patched.setattr(redis_connection, "ANSWER_SECONDS", SOON)
            said = await asyncio.gather(*(one.get("a") for one in (redis, other) * 10), return_exceptions=True)
            assert all(isinstance(one, RedisError) for one in said)
        async with asyncio.timeout(PATIENCE):
            while True:
                with suppress(RedisError):
                    assert await redis.ping()
                    break
                await asyncio.sleep(0.05)
        assert await other.ping()
        await redis.aclose()
        await other.aclose()


def test_each_kind_of_connection_is_one_of_its_kind():
    for scheme in ("redis", "rediss", "unix"):
        plain = Redis.from_url(f"{scheme}:///tmp/redis").connection_pool.connection_class
        assert issubclass(redis_at(f"{scheme}:///tmp/redis").connection_pool.connection_class, plain)


def test_what_redis_refuses_is_logged_and_a_lost_connection_is_not(caplog: pytest.LogCaptureFixture):
    for error in (ResponseError("OOM"), RedisConnectionError(), RedisTimeoutError()):
        log_refusal("not kept", error)
    assert [one.getMessage() for one in caplog.records] == ["not kept: ResponseError"]
