"""Connections to Redis that fail at once while it is silent, and whose every loss is an error of Redis.

A missing Redis refuses connections at once. A Redis without an answer for `ANSWER_SECONDS` is silent. Then every
connection of this process to it ends, and commands fail at once, until a probing connection finds it again.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from typing import Any, Final
from weakref import WeakSet, WeakValueDictionary

from redis.asyncio import Connection, ConnectionPool, Redis, SSLConnection, UnixDomainSocketConnection
from redis.asyncio.connection import AbstractConnection
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as RedisTimeoutError

from chat_ui.conversations.running_time import within

logger = logging.getLogger(__name__)

ANSWER_SECONDS: Final = 1.0
"""Seconds for a connection, and for each answer."""
_PROBE_SECONDS: Final = 0.25
_IDLE_SECONDS: Final = 5


def redis_at(url: str, *, as_text: bool = True) -> Redis:
    """Redis at a `redis://` or `rediss://` URL, for text or else bytes; it connects when used, and gives up soon."""
    redis = Redis.from_url(url, decode_responses=as_text, health_check_interval=_IDLE_SECONDS)
    give_up_soon(redis)
    return redis


def give_up_soon(redis: Redis) -> None:
    """Make commands fail within a second, as errors of Redis, while Redis is away, and later ones at once."""
    # A connection that broke while it was idle does not mean that Redis is away.
    redis.set_retry(Retry(NoBackoff(), 1))
    pool = redis.connection_pool
    pool.connection_kwargs["reach"] = _reach_of(pool)
    pool.connection_class = _MINDFUL.get(pool.connection_class, pool.connection_class)


def log_refusal(what: str, error: RedisError) -> None:
    """Log a Redis error unless the connection is lost: `Workers` logs that once."""
    if not isinstance(error, RedisConnectionError | RedisTimeoutError):
        logger.warning("%s: %s", what, type(error).__name__)


class _Reach:
    """Whether one Redis answers, shared by every connection of this process to it."""

    def __init__(self, pool: ConnectionPool) -> None:
        self.connections: WeakSet[_MindfulConnection] = WeakSet()
        self._pool = pool
        self._probing: asyncio.Task[None] | None = None

    @property
    def is_silent(self) -> bool:
        """Whether it was lost, and has not been found again yet."""
        return self._probing is not None and not self._probing.done() and _is_of_this_loop(self._probing)

    def lose(self) -> None:
        """Note its silence: all waits for it end now."""
        if self.is_silent:
            return
        self._probing = asyncio.create_task(self._probe(), name="looking for Redis")
        for connection in list(self.connections):
            connection.abort()

    async def _probe(self) -> None:
        while True:
            await asyncio.sleep(_PROBE_SECONDS)
            connection: Any = self._pool.make_connection()  # type: ignore[no-untyped-call]
            connection.is_probe = True
            try:
                await connection.connect_check_health()
                await connection.send_command("PING")
                await connection.read_response()
            except RedisError:
                continue
            else:
                return
            finally:
                with suppress(RedisError):
                    await connection.disconnect(nowait=True)


_reaches: WeakValueDictionary[tuple[object, ...], _Reach] = WeakValueDictionary()


def _reach_of(pool: ConnectionPool) -> _Reach:
    place = tuple(pool.connection_kwargs.get(name) for name in ("host", "port", "path"))
    return _reaches.setdefault(place, _Reach(pool))


def _is_of_this_loop(task: asyncio.Task[None]) -> bool:
    return task.get_loop() is asyncio.get_running_loop()


class _MindfulConnection(AbstractConnection):
    """A connection that is lost with every other one to its Redis.

    It takes a closed transport for a lost connection: writing to one raises RuntimeError with uvloop, and redis-py
    passes on errors other than OSError.
    """

    is_probe = False

    def __init__(self, *, reach: _Reach, **options: Any) -> None:
        super().__init__(**options)
        self._reach = reach
        reach.connections.add(self)

    def abort(self) -> None:
        if self._writer is not None and not self.is_probe:
            self._writer.transport.abort()

    async def _connect(self) -> None:
        # redis-py's own bound goes by the wall clock.
        async with within(ANSWER_SECONDS):
            await super()._connect()  # type: ignore[no-untyped-call, safe-super]  # each kind has its own

    async def connect_check_health(self, check_health: bool = True, retry_socket_connect: bool = True) -> None:
        if self._reach.is_silent and not self.is_probe:
            raise RedisConnectionError("Redis is silent")
        try:
            await super().connect_check_health(check_health, retry_socket_connect)
        except RedisTimeoutError:
            self._lose()
            raise

    async def send_packed_command(self, command: bytes | str | Iterable[bytes], check_health: bool = True) -> None:
        try:
            async with self._answering():
                await super().send_packed_command(command, check_health)
        except RuntimeError as closed:
            raise RedisConnectionError(str(closed)) from closed

    async def read_response(
        self,
        disable_decoding: bool = False,
        timeout: float | None = None,  # noqa: ASYNC109 - as redis-py has it
        *,
        disconnect_on_error: bool = True,
        push_request: bool | None = False,
    ) -> Any:
        reading = super().read_response(
            disable_decoding, timeout, disconnect_on_error=disconnect_on_error, push_request=push_request
        )
        if push_request:
            # A subscription waits without a bound.
            return await reading
        async with self._answering():
            return await reading

    @asynccontextmanager
    async def _answering(self) -> AsyncIterator[None]:
        try:
            async with within(ANSWER_SECONDS):
                yield
        except TimeoutError as error:
            self._lose()
            raise RedisTimeoutError("Redis says nothing") from error

    def _lose(self) -> None:
        if not self.is_probe:
            self._reach.lose()


class _MindfulTCPConnection(_MindfulConnection, Connection):
    pass


class _MindfulTLSConnection(_MindfulConnection, SSLConnection):
    pass


class _MindfulSocketConnection(_MindfulConnection, UnixDomainSocketConnection):
    pass


_MINDFUL: Final = {
    Connection: _MindfulTCPConnection,
    SSLConnection: _MindfulTLSConnection,
    UnixDomainSocketConnection: _MindfulSocketConnection,
}


def alive(generation_id: str) -> str:
    """The key that exists while the process that runs a generation gives signs of life."""
    return f"chat-ui:alive:{generation_id}"


def answering(owner: str) -> str:
    """The key of the set of generations that run for a person, including those that just died."""
    return f"chat-ui:answering:{owner}"
