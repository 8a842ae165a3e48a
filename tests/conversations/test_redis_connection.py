"""What becomes of a connection to Redis that is lost."""

from __future__ import annotations

import asyncio
import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import suppress

import pytest
import uvloop
from redis.asyncio import Redis
from redis.exceptions import ConnectionError as RedisConnectionError

from chat_ui.conversations.redis_connection import give_up_soon, redis_at

AT_ONCE = 100
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


@pytest.mark.parametrize("new_loop", [asyncio.new_event_loop, uvloop.new_event_loop])
@pytest.mark.parametrize("of_reflex", [False, True])
def test_a_connection_that_is_reset_at_once_is_a_lost_one(new_loop, of_reflex, resetting):
    async def ask_all_at_once() -> list[object]:
        redis = Redis.from_url(resetting) if of_reflex else redis_at(resetting)
        give_up_soon(redis)
        said = await asyncio.gather(*(redis.ping() for _ in range(AT_ONCE)), return_exceptions=True)
        await redis.aclose()
        return said

    with asyncio.Runner(loop_factory=new_loop) as runner:
        assert {type(said) for said in runner.run(ask_all_at_once())} == {RedisConnectionError}


@pytest.mark.parametrize("scheme", ["redis", "rediss", "unix"])
def test_each_kind_of_connection_is_one_of_its_kind(scheme):
    plain = Redis.from_url(f"{scheme}:///tmp/redis").connection_pool.connection_class
    assert issubclass(redis_at(f"{scheme}:///tmp/redis").connection_pool.connection_class, plain)
