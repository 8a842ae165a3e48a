"""The logs of running generations in Redis Streams, so that every process can follow the answers of the others.

The process that runs a generation appends to its stream, merged, at most each `PAUSE` seconds. The others read the
stream from the position they know, and what they missed is there when they come back. Now and then an entry holds
everything so far, and what was before it is trimmed; the stream of an ended generation is gone soon after, since the
store has it then. Where Redis cannot be used, generations are followed by what the store has of them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Final

from redis.asyncio import Redis
from redis.exceptions import RedisError
from redis.typing import EncodableT, FieldT

from chat_ui.conversations.generations.local import LocalGeneration
from chat_ui.conversations.generations.remote import LogEntry, RemoteGeneration, read_log
from chat_ui.conversations.generations.tasks import cancel_all
from chat_ui.conversations.records.records import KeptAnswer
from chat_ui.conversations.redis_connection import alive, answering
from chat_ui.conversations.store.unavailable import StoreUnavailableError

PAUSE: Final = 0.03
"""Seconds between two entries at least."""
WHOLE_EVERY: Final = 500
"""Entries after which one holds everything so far, and those before it are trimmed."""
ALIVE: Final = 5.0
"""Seconds after which a generation whose process gave no sign of life is taken for abandoned."""
SIGN_OF_LIFE: Final = 1.0
RETRY: Final = 0.5
_FIRST_ENTRY_MS: Final = 500
"""A page may ask for an answer before its first entry is there: another tab is told of it at the same moment."""
_QUIET_MS: Final = 500
_RUNNING_SECONDS: Final = 600
_ENDED_SECONDS: Final = 60


class RedisLog:
    """The logs in `redis`; `kept` finds a person's answer in the store, by person and id."""

    def __init__(self, redis: Redis, kept: Callable[[str, str], Awaitable[KeptAnswer | None]]) -> None:
        self._redis = redis
        self._kept = kept
        self._followed: dict[str, RemoteGeneration] = {}
        self._begun: dict[str, asyncio.Event] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    def share(self, generation: LocalGeneration) -> None:
        """Append to the log of a generation that runs here, until it has ended."""
        begun = self._begun[generation.id] = asyncio.Event()
        appending = asyncio.create_task(self._append(generation, begun), name=f"log of {generation.id}")
        appending.add_done_callback(lambda _: self._begun.pop(generation.id, None))
        self._keep(appending)

    async def has_begun(self, generation_id: str) -> None:
        """Return once other processes can follow a generation that runs here, or cannot for the moment."""
        if (begun := self._begun.get(generation_id)) is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(_FIRST_ENTRY_MS / 1000):
                    await begun.wait()

    async def open(self, owner: str, generation_id: str, kept: KeptAnswer | None) -> RemoteGeneration | None:
        """The person's generation that runs elsewhere, followed from now on; None where there is none.

        `kept` is what the store has of it.
        """
        found = self._followed.get(generation_id)
        if found is None:
            try:
                position, found = await self._read(generation_id, wait=kept is None)
            except RedisError:
                position = "0"
            if found is None and kept is not None:
                found = RemoteGeneration(owner, kept)
            if found is not None:
                found = self._follow(found, position)
        return found if found is not None and found.owner == owner else None

    async def last_text(self, generation_id: str) -> str | None:
        """All text of a generation that its process left; None while that process lives."""
        try:
            if await self._redis.exists(alive(generation_id)):
                return None
            _, left = await self._read(generation_id, wait=False)
        except RedisError:
            return ""
        return left.answer.text if left is not None else ""

    async def close(self) -> None:
        """Append and follow no longer."""
        await cancel_all(self._tasks)

    async def _append(self, generation: LocalGeneration, begun: asyncio.Event) -> None:
        # The question is whole then.
        await generation.prepared.wait()
        length = entries = seen = text_revision = 0
        revision = -1
        while True:
            ended, newest = generation.ended, generation.context_revision
            whole = entries % WHOLE_EVERY == 0 or text_revision != generation.text_revision
            text_revision = generation.text_revision
            start = 0 if whole else length
            text, end = generation.text_since(start)
            entry = LogEntry(
                start=start,
                text=text,
                record=generation.record if whole or newest != revision else None,
                text_revision=text_revision,
                owner=generation.owner if whole else None,
                question=generation.question if whole else None,
            )
            try:
                await self._write(generation, entry, trim=whole, ended=ended)
            except RedisError:
                # Redis may have lost the entries when it is back.
                entries = 0
                begun.set()
                await asyncio.sleep(RETRY)
                continue
            begun.set()
            if ended:
                return
            length, revision, entries = end, newest, entries + 1
            with suppress(TimeoutError):
                async with asyncio.timeout(SIGN_OF_LIFE):
                    seen = await generation.signal.wait(seen)
            await asyncio.sleep(PAUSE)

    async def _write(self, generation: LocalGeneration, entry: LogEntry, *, trim: bool, ended: bool) -> None:
        stream, of_owner = _stream(generation.id), answering(generation.owner)
        async with self._redis.pipeline(transaction=False) as pipeline:
            if entry.text or entry.record is not None:
                pipeline.xadd(stream, dict[FieldT, EncodableT](entry.fields().items()))
            pipeline.expire(stream, _ENDED_SECONDS if ended else _RUNNING_SECONDS)
            pipeline.set(alive(generation.id), 1, px=int(ALIVE * 1000))
            if ended:
                pipeline.srem(of_owner, generation.id, generation.asked.conversation)
            elif trim:
                pipeline.sadd(of_owner, generation.id)
                pipeline.expire(of_owner, _RUNNING_SECONDS)
            position, *_ = await pipeline.execute()
        if trim:
            await self._redis.xtrim(stream, minid=position, approximate=False)

    async def _read(self, generation_id: str, *, wait: bool) -> tuple[str, RemoteGeneration | None]:
        """The answer in the log so far, and the position after it; waits a moment for a log that is not there yet."""
        entries = await self._entries(generation_id, "0", _FIRST_ENTRY_MS if wait else None)
        return next(reversed(entries), "0"), read_log(list(entries.values()))

    def _follow(self, found: RemoteGeneration, position: str) -> RemoteGeneration:
        followed = self._followed.setdefault(found.id, found)
        if followed is found:
            self._keep(asyncio.create_task(self._follow_log(found, position), name=f"following {found.id}"))
        return followed

    async def _follow_log(self, followed: RemoteGeneration, position: str) -> None:
        try:
            while not followed.ended:
                try:
                    entries = await self._entries(followed.id, position, _QUIET_MS)
                    is_alive = bool(entries) or await self._redis.exists(alive(followed.id))
                except RedisError:
                    await self._consult_store(followed, only_the_end=False)
                    await asyncio.sleep(RETRY)
                    continue
                for entry in entries.values():
                    followed.apply(entry)
                if entries:
                    position = next(reversed(entries))
                elif not await self._consult_store(followed, only_the_end=True) and not is_alive:
                    followed.interrupt()
            # The store may have the whole of it a moment later.
            await asyncio.sleep(RETRY)
        finally:
            self._followed.pop(followed.id, None)

    async def _consult_store(self, followed: RemoteGeneration, *, only_the_end: bool) -> bool:
        """Take in what the store has of it; whether the store has it, or may have."""
        try:
            kept = await self._kept(followed.owner, followed.id)
        except StoreUnavailableError:
            return True
        if kept is not None and (kept.ended or not only_the_end):
            followed.apply(LogEntry(0, kept.answer.text, kept.generation))
        return kept is not None

    async def _entries(self, generation_id: str, position: str, wait_ms: int | None) -> dict[str, LogEntry]:
        """The entries after a position, in order, by their own positions."""
        found: Any = await self._redis.xread({_stream(generation_id): position}, block=wait_ms)
        return {at: LogEntry.of(fields) for _, entries in found or () for at, fields in entries}

    def _keep(self, task: asyncio.Task[None]) -> None:
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)


def _stream(generation_id: str) -> str:
    return f"chat-ui:log:{generation_id}"
