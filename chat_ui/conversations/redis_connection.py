"""Connections to Redis that give up soon, and whose every loss is an error of Redis."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Final

from redis.asyncio import Connection, Redis, SSLConnection, UnixDomainSocketConnection
from redis.asyncio.connection import AbstractConnection
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as RedisTimeoutError

logger = logging.getLogger(__name__)

_CONNECT_SECONDS: Final = 1.0
_ANSWER_SECONDS: Final = 5


def redis_at(url: str, *, as_text: bool = True) -> Redis:
    """Redis at a `redis://` or `rediss://` URL; it is connected to when it is used, and gives up soon.

    What it gives is text, or else bytes.
    """
    redis = Redis.from_url(
        url, decode_responses=as_text, socket_timeout=_ANSWER_SECONDS, health_check_interval=_ANSWER_SECONDS
    )
    give_up_soon(redis)
    return redis


def give_up_soon(redis: Redis) -> None:
    """Have nobody wait for a Redis that is away: commands fail within a second of connecting, as errors of Redis."""
    # A connection that broke while it was idle says nothing about Redis.
    redis.set_retry(Retry(NoBackoff(), 1))
    pool = redis.connection_pool
    pool.connection_kwargs["socket_connect_timeout"] = _CONNECT_SECONDS
    pool.connection_class = _MINDFUL.get(pool.connection_class, pool.connection_class)


def log_refusal(what: str, error: RedisError) -> None:
    """Log what Redis did not do, unless it is away: that is told once, by `Workers`."""
    if not isinstance(error, RedisConnectionError | RedisTimeoutError):
        logger.warning("%s: %s", what, type(error).__name__)


class _MindfulOfUvloop(AbstractConnection):
    """Takes a transport that was closed for a lost connection.

    Writing to one raises RuntimeError with uvloop, and redis-py passes on what is not an OSError.
    """

    async def send_packed_command(self, command: bytes | str | Iterable[bytes], check_health: bool = True) -> None:
        try:
            await super().send_packed_command(command, check_health)
        except RuntimeError as closed:
            raise RedisConnectionError(str(closed)) from closed


class _MindfulConnection(_MindfulOfUvloop, Connection):
    pass


class _MindfulTLSConnection(_MindfulOfUvloop, SSLConnection):
    pass


class _MindfulSocketConnection(_MindfulOfUvloop, UnixDomainSocketConnection):
    pass


_MINDFUL: Final = {
    Connection: _MindfulConnection,
    SSLConnection: _MindfulTLSConnection,
    UnixDomainSocketConnection: _MindfulSocketConnection,
}
