"""Notices between processes that serve the same conversations, over a channel of Redis.

A notice is small. While Redis is away, notices wait or are lost, and all processes read the store repeatedly. A process
whose notices were lost says so once the others can be reached.
"""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields
from typing import Any, Final

from redis.asyncio import Redis
from redis.asyncio.client import PubSub
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as RedisTimeoutError

from chat_ui.conversations.generations.tasks import cancel_all

logger = logging.getLogger(__name__)

_CHANNEL: Final = "chat-ui:notices"
_RETRY: Final = 1.0
_POLL_SECONDS: Final = 1.0
_MERGED: Final = 10_000
"""Waiting notices after which they are merged if possible."""
_UNANSWERED: Final = 5
"""Unanswered pings, one each `_POLL_SECONDS`, after which the connection is taken for lost."""


@dataclass(frozen=True, slots=True)
class Notice:
    """An event, by the id of its object: a `conversation` changed or is `gone`, the list of a person changed, a
    generation is to `stop`, everything of a person was `deleted`, or a session has `signed_out`. With `missed`, any of
    these may have been lost.
    """

    conversation: str = ""
    gone: str = ""
    list_of: str = ""
    stop: str = ""
    deleted: str = ""
    signed_out: str = ""
    missed: bool = False

    @property
    def is_lasting(self) -> bool:
        """Whether it waits for a connection; one notice of missed ones replaces the others."""
        return bool(self.gone or self.stop or self.deleted or self.signed_out or self.missed)


_FIELDS: Final = frozenset(field.name for field in fields(Notice))
_MISSED: Final = Notice(missed=True)


class Workers:
    """The other processes; `on_notice` is called with their notices, `on_missed` if some may have been lost."""

    def __init__(self, redis: Redis, on_notice: Callable[[Notice], None], on_missed: Callable[[], None]) -> None:
        self._redis = redis
        self._on_notice = on_notice
        self._on_missed = on_missed
        self._name = ""
        self._connected = asyncio.Event()
        self._connected.set()
        self._unsent: dict[Notice, None] = {}
        self._due = asyncio.Event()
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Send and receive notices from now on."""
        # Not before: a server may make this object once and then fork.
        self._name = secrets.token_urlsafe(8)
        self._tasks = [
            asyncio.create_task(self._listen(), name="hearing notices"),
            asyncio.create_task(self._publish(), name="telling notices"),
        ]

    async def close(self) -> None:
        """Stop sending and receiving."""
        await cancel_all(self._tasks)

    def tell(self, notice: Notice) -> None:
        """Tell all other processes."""
        self._unsent[notice] = None
        if len(self._unsent) % _MERGED == 0:
            self._merge()
        self._due.set()

    @property
    def unavailable(self) -> bool:
        """Whether notices of the others do not arrive at the moment."""
        return not self._connected.is_set()

    async def reachable(self) -> bool:
        """Whether Redis can be used now."""
        try:
            async with self._redis.pipeline(transaction=False) as pipeline:
                pipeline.ping()
                await pipeline.execute()
        except RedisError:
            return False
        return True

    async def first_to_ask(self, place: str, seconds: float) -> bool:
        """Whether other processes left this place in a conversation free within the last `seconds`.

        A process that has not heard of a question yet finds its place taken; one that has asks for the next place.
        """
        key = f"chat-ui:asking:{place}"
        try:
            async with self._redis.pipeline(transaction=False) as pipeline:
                pipeline.set(key, self._name, px=int(seconds * 1000), nx=True)
                pipeline.get(key)
                _, holder = await pipeline.execute()
        except RedisError:
            return True
        return holder in (None, self._name)

    async def _publish(self) -> None:
        while True:
            await self._due.wait()
            self._due.clear()
            while self._unsent:
                notice = next(iter(self._unsent))
                # A change during the publishing is published again.
                del self._unsent[notice]
                if not await self._published(notice):
                    self._unsent[notice] = None
                    self._merge()
                    await self._connected.wait()
                    # The others are connected again by then as well.
                    await asyncio.sleep(2 * _RETRY)

    def _merge(self) -> None:
        """Replace the notices that are not lasting by one of missed notices."""
        self._unsent = dict.fromkeys((_MISSED, *(one for one in self._unsent if one.is_lasting)))

    async def _published(self, notice: Notice) -> bool:
        if self.unavailable:
            return False
        said = json.dumps({"from": self._name, **{key: value for key, value in asdict(notice).items() if value}})
        try:
            await self._redis.publish(_CHANNEL, said)
        except RedisError:
            return False
        return True

    async def _listen(self) -> None:
        while True:
            try:
                async with self._redis.pubsub() as channel:
                    await channel.subscribe(_CHANNEL)
                    await self._receive_all(channel)
            except RedisError as error:
                if not self.unavailable:
                    name = type(error).__name__
                    logger.warning(
                        "Redis is not reachable (%s): this process works without the others until it is", name
                    )
                self._connected.clear()
                self._on_missed()
                await asyncio.sleep(_RETRY)

    async def _receive_all(self, channel: PubSub) -> None:
        """Take notices until the connection is lost.

        Raises:
            RedisError: it is.
        """
        unanswered = 0
        while unanswered <= _UNANSWERED:
            message = await channel.get_message(timeout=_POLL_SECONDS)
            if message is None:
                unanswered += 1
                await channel.ping()
                continue
            unanswered = 0
            if message["type"] == "subscribe":
                # The client library reconnects by itself, which shows only here.
                if self.unavailable:
                    logger.warning("Redis is reachable again")
                self._connected.set()
                self._on_missed()
            elif message["type"] == "message":
                self._receive(json.loads(message["data"]))
        raise RedisTimeoutError("no ping was answered")

    def _receive(self, said: dict[str, Any]) -> None:
        if said.get("from") == self._name:
            return
        # A newer version of this app may send more fields.
        notice = Notice(**{key: value for key, value in said.items() if key in _FIELDS})
        if notice.missed:
            self._on_missed()
        else:
            self._on_notice(notice)
