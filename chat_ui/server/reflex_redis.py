"""The states of pages, kept in Redis by Reflex, that outlast a loss of Redis.

The state of a page as this process wrote it last stays in its memory. While Redis is away, the page's events work on
that copy. Before the first event after its return Redis gets the parts that it lacks, dropped ones included, and
Reflex's subscriptions are made anew. `chat_ui.conversations.generations.workers` logs the loss, once.
"""

from __future__ import annotations

import asyncio
import logging
import sys
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import asynccontextmanager, suppress
from copy import copy
from dataclasses import dataclass, field
from typing import Any, Final, Self, cast
from weakref import WeakValueDictionary

import reflex as rx
from redis.asyncio import Redis
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as RedisTimeoutError
from reflex.istate.manager.redis import StateManagerRedis
from reflex.istate.manager.token import BaseStateToken, StateToken
from reflex.state import BaseState, StateUpdate
from reflex.utils import token_manager
from reflex.utils.token_manager import RedisTokenManager
from reflex_base.utils.exceptions import LockExpiredError

from chat_ui.conversations.redis_connection import give_up_soon
from chat_ui.conversations.running_time import within
from chat_ui.protocol.recently_used import RecentlyUsed, size_of

HELD_BYTES: Final = 64 * 1024 * 1024
"""Bytes of pages' states held in memory; states not used for longest go first."""
ANSWER_SECONDS: Final = 5.0
"""Seconds after which Redis is taken for lost when it does not answer."""
AWAY_SECONDS: Final = 1.0
"""Seconds for which Redis is not asked again after it was lost."""
_LOST = (RedisError, TimeoutError)
_AWAY = (RedisConnectionError, RedisTimeoutError)


@dataclass(slots=True)
class _Page:
    """The state of one page: its parts by their keys in Redis, and whether Redis has all of them.

    It was `changed_apart` where Redis did not take the last change.
    """

    parts: dict[str, bytes] = field(default_factory=dict)
    in_redis: bool = True
    changed_apart: bool = False
    renewed_at: float = field(default_factory=time.monotonic)


@dataclass(frozen=True, slots=True)
class _Reading:
    """The part of Redis that Reflex uses to read a state: `redis`, or the copy of `page` while `redis` is None."""

    page: _Page
    redis: Redis | None

    async def mget(self, keys: Sequence[str]) -> list[bytes | None]:
        held = [self.page.parts.get(key) for key in keys]
        if self.redis is None:
            return held
        found = await self.redis.mget(keys)
        parts = [own if part is None else part for part, own in zip(found, held, strict=True)]
        if parts != found:
            self.page.in_redis = False
        return parts


@dataclass
class LastingStates(StateManagerRedis):
    """Reflex's states in Redis; those of the pages that this process serves are at hand while Redis is away."""

    _held: RecentlyUsed[str, _Page] = field(default_factory=lambda: RecentlyUsed(HELD_BYTES), init=False)
    _turns: WeakValueDictionary[str, asyncio.Lock] = field(default_factory=WeakValueDictionary, init=False)
    _away_until: float = field(default=0.0, init=False)

    @classmethod
    def kept_in(cls, redis: Redis) -> Self:
        # Reflex declares its methods twice, for which a type checker may take the class by name for an abstract one.
        return cls(redis=redis)

    async def get_state(  # type: ignore[override]  # as Reflex itself has it
        self, token: StateToken[Any], top_level: bool = True, for_state_instance: BaseState | None = None
    ) -> Any:
        """The state for a token, from Redis or else from memory."""
        reader = copy(self)
        if not self._is_away:
            reader.redis = cast(Redis, _Reading(self._page(token.ident), self.redis))
            try:
                async with within(ANSWER_SECONDS):
                    return await super(LastingStates, reader).get_state(token, top_level, for_state_instance)
            except _LOST:
                self._lose()
        reader.redis = cast(Redis, _Reading(self._page(token.ident), None))
        return await super(LastingStates, reader).get_state(token, top_level, for_state_instance)

    async def set_state(  # type: ignore[override]  # as Reflex itself has it
        self, token: StateToken[Any], state: Any, *, lock_id: bytes | None = None, **context: Any
    ) -> None:
        """Keep the state for a token, in Redis unless that is away."""
        token = self._coerce_token(token)
        if not self._is_away:
            try:
                async with within(ANSWER_SECONDS):
                    try:
                        await super().set_state(token, state, lock_id=lock_id, **context)
                    except LockExpiredError:
                        if await self.redis.exists(self._lock_key(token)):
                            raise
                        # Redis dropped it to make room: this process has the only copy.
                        await super().set_state(token, state, **context)
            except _LOST:
                self._lose()
            else:
                return
        if isinstance(token, BaseStateToken):
            self._collect_state_writes(token, state)
            page = self._page(token.ident)
            page.in_redis, page.changed_apart = False, True

    def _collect_state_writes(self, token: BaseStateToken, base_state: BaseState) -> list[tuple[str, bytes]]:
        writes = super()._collect_state_writes(token, base_state)
        page = self._page(token.ident)
        page.parts.update(writes)
        self._held.put(token.ident, page, size_of((page.parts,), HELD_BYTES))
        return writes

    @asynccontextmanager
    async def _lock(self, token: StateToken[Any], event_name: str | None = None) -> AsyncIterator[Any]:
        """The lock of a token in Redis, or of this process alone, with None for its id, while Redis is away."""
        turn = self._turns.setdefault(token.ident, asyncio.Lock())
        async with turn:
            lock = super()._lock(token, event_name)
            lock_id: bytes | None = None
            if not self._is_away:
                try:
                    async with within(ANSWER_SECONDS):
                        lock_id = await lock.__aenter__()
                        await self._bring_back(token.ident)
                except _LOST:
                    self._lose()
            try:
                yield lock_id
            finally:
                if lock_id is not None:
                    with suppress(RedisError):
                        await lock.__aexit__(*sys.exc_info())

    async def _subscribe_lock_updates(self) -> None:
        await _until_lost(super()._subscribe_lock_updates())  # type: ignore[no-untyped-call]

    def _page(self, ident: str) -> _Page:
        page = self._held.get(ident)
        if page is None:
            page = _Page()
            self._held.put(ident, page, 0)
        return page

    @property
    def _is_away(self) -> bool:
        return time.monotonic() < self._away_until

    def _lose(self) -> None:
        self._away_until = time.monotonic() + AWAY_SECONDS
        for ident in self._held:
            self._page(ident).in_redis = False

    async def _bring_back(self, ident: str) -> None:
        """See that Redis has all of a page's state, and for as long as the page is open.

        It may have been away, and have come back empty; and Reflex lets a part expire that is read but not changed.
        """
        page, now = self._page(ident), time.monotonic()
        if page.in_redis and now < page.renewed_at + self.token_expiration / 4:
            return
        async with self.redis.pipeline(transaction=False) as pipeline:
            for key, part in page.parts.items():
                # States that did not change here meanwhile may be older than those in Redis.
                pipeline.set(key, part, nx=not page.changed_apart)
                pipeline.expire(key, self.token_expiration)
            await pipeline.execute()
        page.in_redis, page.changed_apart, page.renewed_at = True, False, now


class LastingSockets(RedisTokenManager):
    """Reflex's record in Redis of which process has the socket of which page."""

    async def _subscribe_socket_record_updates(self) -> None:
        await _until_lost(super()._subscribe_socket_record_updates())

    async def _subscribe_lost_and_found_updates(
        self, emit_update: Callable[[StateUpdate, str], Coroutine[None, None, None]]
    ) -> None:
        await _until_lost(super()._subscribe_lost_and_found_updates(emit_update))


async def _until_lost(subscription: Awaitable[None]) -> None:
    """Be subscribed until Redis is lost, and return when it may be back: Reflex subscribes anew then, at once."""
    try:
        await subscription
    except _AWAY:
        await asyncio.sleep(AWAY_SECONDS)


class _RedisIsThere(logging.Filter):
    """Drops Reflex's log lines about operations that failed because Redis is away."""

    def filter(self, _record: logging.LogRecord) -> bool:
        return not isinstance(sys.exception(), _AWAY)


def outlast_redis(app: rx.App) -> None:
    """Have the states of an app that keeps them in Redis outlast a loss of Redis; other apps stay as they are."""
    manager, sockets = app._state_manager, app.event_namespace and app.event_namespace._token_manager
    if app.event_namespace and isinstance(manager, StateManagerRedis) and isinstance(sockets, RedisTokenManager):
        app._state_manager = LastingStates.kept_in(manager.redis)
        app.event_namespace._token_manager = LastingSockets(sockets.redis)
        logging.getLogger(token_manager.__name__).addFilter(_RedisIsThere())
        for redis in (manager.redis, sockets.redis):
            # No page waits for Redis: the next event finds out whether it is back.
            give_up_soon(redis)
