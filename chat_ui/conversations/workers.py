"""What processes that serve the same conversations tell each other, by a channel of Redis.

A notice is small. While Redis is away, notices wait or are lost, and everybody looks at the store again and again.
"""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Final

from redis.asyncio import Redis
from redis.exceptions import RedisError

from chat_ui.conversations.tasks import cancel_all

logger = logging.getLogger(__name__)

_CHANNEL: Final = "chat-ui:notices"
_RETRY: Final = 1.0
_HEARING_SECONDS: Final = 1.0


@dataclass(frozen=True, slots=True)
class Notice:
    """One of these happened: a conversation changed or was deleted, a person's list changed, somebody wants a
    generation stopped, or everything of a person was deleted. Each is named by its id.
    """

    conversation: str = ""
    gone: str = ""
    list_of: str = ""
    stop: str = ""
    deleted: str = ""


class Workers:
    """The other processes; `heard` is called with their notices, `missed` where some may have been lost."""

    def __init__(self, redis: Redis, heard: Callable[[Notice], None], missed: Callable[[], None]) -> None:
        self._redis = redis
        self._heard = heard
        self._missed = missed
        self._name = ""
        self._hearing = asyncio.Event()
        self._hearing.set()
        self._telling: asyncio.Queue[Notice] = asyncio.Queue()
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Tell and hear from now on."""
        # Not before: a server may make this object once and then fork.
        self._name = secrets.token_urlsafe(8)
        self._tasks = [
            asyncio.create_task(self._listen(), name="hearing notices"),
            asyncio.create_task(self._publish(), name="telling notices"),
        ]

    async def close(self) -> None:
        """Tell and hear no longer."""
        await cancel_all(self._tasks)

    def tell(self, notice: Notice) -> None:
        """Tell all other processes."""
        self._telling.put_nowait(notice)

    @property
    def away(self) -> bool:
        """Whether the others cannot be heard at the moment."""
        return not self._hearing.is_set()

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
        """Whether no other process took this place in a conversation for a question within the last `seconds`.

        A process that has not heard of a question yet finds its place taken; one that has asks for the place after it.
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
            notice = await self._telling.get()
            said = json.dumps({"from": self._name, **{key: value for key, value in asdict(notice).items() if value}})
            # What else happened is seen by looking at the store.
            lasting = bool(notice.gone or notice.stop or notice.deleted)
            while not await self._published(said) and lasting:
                await self._hearing.wait()
                # The others hear again by then as well.
                await asyncio.sleep(2 * _RETRY)

    async def _published(self, said: str) -> bool:
        if self.away:
            return False
        try:
            await self._redis.publish(_CHANNEL, said)
        except RedisError:
            return False
        return True

    async def _listen(self) -> None:
        while True:
            try:
                async with self._redis.pubsub(ignore_subscribe_messages=True) as channel:
                    await channel.subscribe(_CHANNEL)
                    if self.away:
                        logger.warning("Redis is back: other processes are heard again")
                    self._hearing.set()
                    self._missed()
                    while True:
                        message = await channel.get_message(timeout=_HEARING_SECONDS)
                        if message is not None:
                            self._hear(json.loads(message["data"]))
            except RedisError as error:
                if not self.away:
                    name = type(error).__name__
                    logger.warning("Redis is away (%s): this process goes on alone until it is back", name)
                self._hearing.clear()
                self._missed()
                await asyncio.sleep(_RETRY)

    def _hear(self, said: dict[str, str]) -> None:
        if said.pop("from", "") != self._name:
            self._heard(Notice(**said))
