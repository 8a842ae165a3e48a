"""The logs of running generations in Redis Streams, so that every process can follow the answers of the others.

The log of a generation has an entry of its beginning and one of its end. In between its process appends merged entries,
and only while another process follows. A round trip appends to all own logs and reads all followed ones, at most each
`PAUSE` seconds, and less often without news. A following process keeps a key as a sign, and finds all earlier entries
in the log. At times an entry has all text so far, and replaces the earlier ones. The log of an ended generation is
dropped soon after, since the store has it. Without Redis, or after an unreadable entry, generations are followed by the
store.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from typing import Any, Final

from redis.asyncio import Redis
from redis.asyncio.client import Pipeline
from redis.exceptions import RedisError

from chat_ui.conversations.generations.local import LocalGeneration
from chat_ui.conversations.generations.remote import LogEntry, RemoteGeneration, read_log
from chat_ui.conversations.generations.tasks import cancel_all
from chat_ui.conversations.records.records import StoredAnswer
from chat_ui.conversations.redis_connection import alive, answering
from chat_ui.errors import StoreUnavailableError, UnreadableEntryError

logger = logging.getLogger(__name__)

PAUSE: Final = 0.03
"""Seconds between two round trips at least."""
_UNFOLLOWED_PAUSE: Final = 0.1
COMPLETE_EVERY: Final = 500
"""Entries after which one has all text so far, in place of the earlier ones."""
ALIVE: Final = 5.0
"""Seconds without a sign of life after which a process is taken for gone."""
SIGN_OF_LIFE: Final = 1.0
RETRY: Final = 0.5
_FIRST_ENTRY_MS: Final = 500
"""A page may ask for an answer before its first entry: another tab is notified at the same moment."""
_QUIET_MS: Final = 500
_RUNNING_SECONDS: Final = 600
_ENDED_SECONDS: Final = 60
_LOG: Final = "chat-ui:entries:"
_ENTRY: Final = "entry"
"""The only field of an entry: a client takes longer for fields than for JSON."""


class RedisLog:
    """The logs in `redis`; `kept` finds a person's answer in the store, by person and id."""

    def __init__(self, redis: Redis, kept: Callable[[str, str], Awaitable[StoredAnswer | None]]) -> None:
        self._redis = redis
        self._kept = kept
        self._shared: dict[str, _Shared] = {}
        self._due = asyncio.Event()
        self._next_sign = 0.0
        self._followed: dict[str, RemoteGeneration] = {}
        self._positions: dict[Any, Any] = {}
        """The last read entry of each followed log, by its key."""
        self._tasks: set[asyncio.Task[None]] = set()

    def share(self, generation: LocalGeneration) -> None:
        """Append to the log of a generation that runs here, until its end."""
        self._shared[generation.id] = _Shared(generation)
        self._due.set()
        self._go_on(self._exchange)

    async def has_begun(self, generation_id: str) -> None:
        """Return once other processes can follow a generation that runs here, or cannot for the moment."""
        if (shared := self._shared.get(generation_id)) is not None:
            with suppress(TimeoutError):
                async with asyncio.timeout(_FIRST_ENTRY_MS / 1000):
                    await shared.begun.wait()

    async def open(self, owner: str, generation_id: str, kept: StoredAnswer | None) -> RemoteGeneration | None:
        """The person's generation that runs elsewhere, followed from now on; else None.

        `kept` is its stored part.
        """
        found = self._followed.get(generation_id)
        if found is None:
            position = "0"
            with suppress(RedisError, UnreadableEntryError):
                position, found = await self._read_from_now_on(generation_id, wait=kept is None)
            if found is None and kept is not None:
                found = RemoteGeneration(owner, kept)
            elif found is not None and kept is not None:
                found.apply(LogEntry(0, kept.answer.text))
            if found is not None:
                found = self._follow(found, position)
        return found if found is not None and found.owner == owner else None

    async def last_text(self, generation_id: str) -> str | None:
        """The text in the log of a generation whose process is gone; None while that process lives."""
        try:
            if await self._redis.exists(alive(generation_id)):
                return None
            left = read_log([*_entries(await self._redis.xread({_stream(generation_id): "0"})).values()])
        except (RedisError, UnreadableEntryError):
            return ""
        return left.answer.text if left is not None else ""

    async def close(self) -> None:
        """Stop appending and following."""
        await cancel_all(self._tasks)

    async def _exchange(self) -> None:
        while self._shared or self._followed:
            self._due.clear()
            try:
                await self._exchange_once()
            except RedisError:
                for shared in self._shared.values():
                    # Redis may have lost the entries when it is back.
                    shared.entries = 0
                    shared.begun.set()
                await asyncio.sleep(RETRY)
                continue
            is_awaited = self._positions or any(
                one.is_followed or not one.begun.is_set() for one in self._shared.values()
            )
            with suppress(TimeoutError):
                async with asyncio.timeout(PAUSE if is_awaited else _UNFOLLOWED_PAUSE):
                    await self._due.wait()

    async def _exchange_once(self) -> None:
        # The question is whole once a generation is prepared.
        ready = [one for one in self._shared.values() if one.generation.prepared.is_set()]
        positions, now = self._positions.copy(), time.monotonic()
        if is_sign_due := now >= self._next_sign:
            self._next_sign = now + SIGN_OF_LIFE
        async with self._redis.pipeline(transaction=False) as pipeline:
            if ready:
                pipeline.mget([_followed(one.generation.id) for one in ready])
            if positions:
                pipeline.xread(positions)
            ended = [one.generation.id for one in ready if one.append(pipeline, is_alive=is_sign_due)]
            answers = iter(await pipeline.execute())
        for one, mark in zip(ready, next(answers) if ready else (), strict=True):
            one.begun.set()
            if one.follow(is_followed=mark is not None):
                self._due.set()
        for generation_id in ended:
            self._shared.pop(generation_id, None)
        for stream, entries in (next(answers) if positions else None) or ():
            if (followed := self._followed.get(stream.removeprefix(_LOG))) is not None:
                try:
                    for position, fields in entries:
                        followed.apply(LogEntry.of(fields.get(_ENTRY, "")))
                        self._positions[stream] = position
                except UnreadableEntryError:
                    logger.warning("the log of %s cannot be read; another version may have written it", followed.id)
                    del self._positions[stream]

    async def _read_from_now_on(self, generation_id: str, *, wait: bool) -> tuple[str, RemoteGeneration | None]:
        """The answer so far, and the position after it in its log, to which its process appends from now on.

        Waits a moment for an entry, and with `wait` also for a log that does not exist yet.
        """
        stream = _stream(generation_id)
        entries = _entries(await self._redis.xread({stream: "0"}, block=_FIRST_ENTRY_MS if wait else None))
        position, newest = next(reversed(entries.items()), ("0", None))
        # An unknown id does not become a key.
        if newest is not None and not newest.is_last:
            async with self._redis.pipeline(transaction=False) as pipeline:
                pipeline.set(_followed(generation_id), 1, px=int(ALIVE * 1000), get=True)
                pipeline.exists(alive(generation_id))
                was_followed, is_alive = await pipeline.execute()
            if is_alive and not was_followed:
                entries |= _entries(await self._redis.xread({stream: position}, block=_FIRST_ENTRY_MS))
        return next(reversed(entries), "0"), read_log([*entries.values()])

    def _follow(self, found: RemoteGeneration, position: str) -> RemoteGeneration:
        followed = self._followed.setdefault(found.id, found)
        if followed is found:
            self._positions[_stream(found.id)] = position
            self._go_on(self._exchange)
            self._go_on(self._look_after)
        return followed

    async def _look_after(self) -> None:
        """Keep the followed logs going, and end abandoned ones."""
        while self._followed:
            over = [key for key, one in self._followed.items() if one.ended]
            running = [one for one in self._followed.values() if not one.ended]
            try:
                async with self._redis.pipeline(transaction=False) as pipeline:
                    for one in running:
                        pipeline.set(_followed(one.id), 1, px=int(ALIVE * 1000))
                        pipeline.exists(alive(one.id))
                    answers = await pipeline.execute()
            except RedisError:
                await asyncio.gather(*(self._consult_store(one, only_the_end=False) for one in running))
            else:
                await asyncio.gather(*map(self._look_at, running, answers[1::2]))
            await asyncio.sleep(_QUIET_MS / 1000)
            # The store may have the whole of it a moment later.
            for key in over:
                del self._followed[key]
                self._positions.pop(_stream(key), None)

    async def _look_at(self, followed: RemoteGeneration, is_alive: bool) -> None:
        is_quiet = time.monotonic() - followed.last_event_at >= _QUIET_MS / 1000
        is_read = _stream(followed.id) in self._positions
        if is_quiet and not await self._consult_store(followed, only_the_end=is_read) and not is_alive:
            followed.interrupt()

    async def _consult_store(self, followed: RemoteGeneration, *, only_the_end: bool) -> bool:
        """Take in its stored part; whether the store has it, or may have."""
        try:
            kept = await self._kept(followed.owner, followed.id)
        except StoreUnavailableError:
            return True
        if kept is not None and (kept.ended or not only_the_end):
            followed.apply(LogEntry(0, kept.answer.text, kept.generation))
        return kept is not None

    def _go_on(self, work: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run `work` until it has nothing more to do."""
        if not any(task.get_name() == work.__name__ and not task.done() for task in self._tasks):
            self._tasks.add(task := asyncio.create_task(work(), name=work.__name__))
            task.add_done_callback(self._tasks.discard)


class _Shared:
    """A generation that runs here, and the end of its log; without `entries`, the next one has all text."""

    def __init__(self, generation: LocalGeneration) -> None:
        self.generation = generation
        self.begun = asyncio.Event()
        self.entries = 0
        self.is_followed = self._is_awaited = False
        self._length = self._text_revision = 0
        self._revision = -1

    def follow(self, *, is_followed: bool) -> bool:
        """Note whether another process follows it; True if one has begun to, and waits for an entry."""
        self._is_awaited = is_followed and not self.is_followed
        self.is_followed = is_followed
        return self._is_awaited

    def append(self, pipeline: Pipeline, *, is_alive: bool) -> bool:
        """Append news, and the sign of life if due; whether it has ended."""
        generation, entry = self.generation, self._entry()
        stream, of_owner = _stream(generation.id), answering(generation.owner)
        ends = entry is not None and entry.is_last
        if entry is not None:
            is_complete = entry.owner is not None
            is_alive = is_alive or is_complete
            pipeline.xadd(stream, {_ENTRY: entry.to_json()}, maxlen=1 if is_complete else None, approximate=False)
        if ends:
            pipeline.expire(stream, _ENDED_SECONDS)
            pipeline.srem(of_owner, generation.id, generation.asked.conversation)
        elif is_alive:
            pipeline.expire(stream, _RUNNING_SECONDS)
            pipeline.set(alive(generation.id), 1, px=int(ALIVE * 1000))
            pipeline.sadd(of_owner, generation.id)
            pipeline.expire(of_owner, _RUNNING_SECONDS)
        return ends

    def _entry(self) -> LogEntry | None:
        """The entry to be appended now, which counts as appended; None without news."""
        generation, revision = self.generation, self.generation.context_revision
        is_revised = self._text_revision != generation.text_revision
        if self.entries and not (generation.ended or self.is_followed):
            return None
        complete = self.entries % COMPLETE_EVERY == 0 or is_revised
        start = 0 if complete else self._length
        text, length = generation.text_since(start)
        if not (text or complete or generation.ended or self._is_awaited or revision != self._revision):
            return None
        entry = LogEntry(
            start=start,
            text=text,
            record=generation.record if complete or revision != self._revision else None,
            text_revision=generation.text_revision,
            owner=generation.owner if complete else None,
            question=generation.question if complete else None,
        )
        self._is_awaited = False
        self._length, self._revision = length, revision
        self._text_revision = generation.text_revision
        self.entries += 1
        return entry


def _entries(found: Any) -> dict[str, LogEntry]:
    return {position: LogEntry.of(fields.get(_ENTRY, "")) for _, entries in found or () for position, fields in entries}


def _stream(generation_id: str) -> str:
    return f"{_LOG}{generation_id}"


def _followed(generation_id: str) -> str:
    """The key that exists while another process follows a generation."""
    return f"chat-ui:followed:{generation_id}"
