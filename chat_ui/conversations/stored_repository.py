"""Writes changes of conversations to the store, in the background.

Requests do not wait for the store. Changes are noted, and one task writes them together in one transaction, at most
`FLUSH` seconds later, and at once at the end of an answer. While the store cannot be used, changes wait, merged, and
are written when the store returns; conversations go on meanwhile.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext, suppress
from typing import Final, TypeAlias

from chat_ui.conversations import running_time
from chat_ui.conversations.generations.local import LocalGeneration
from chat_ui.conversations.generations.redis_log import RedisLog
from chat_ui.conversations.generations.targets import FindTargets
from chat_ui.conversations.generations.tasks import cancel_all
from chat_ui.conversations.pending_writes import PendingWrites
from chat_ui.conversations.people.attached_images import Attachments
from chat_ui.conversations.records.records import Changes, StoredAnswer
from chat_ui.conversations.repository import Repository
from chat_ui.conversations.running_time import within
from chat_ui.conversations.snapshots import purge_snapshots
from chat_ui.conversations.steady_clock import SteadyClock
from chat_ui.conversations.store.conversation_list import StoredList
from chat_ui.conversations.store.database import WRITE_SECONDS, Database
from chat_ui.conversations.store.store import Store
from chat_ui.conversations.store.stored_feedback import StoredFeedback
from chat_ui.errors import AlreadyDecidedError, LimitReachedError, StoreRefusedError, StoreUnavailableError
from chat_ui.protocol.events import ErrorInfo
from chat_ui.protocol.translatable import msg
from chat_ui.protocol.transport.client import AsyncClient

logger = logging.getLogger(__name__)

FLUSH: Final = 0.5
"""Seconds at most between a change and its write."""
LEASE: Final = 5.0
"""Seconds after which a running answer that was not renewed is taken for abandoned."""
RENEWAL: Final = 1.0
"""Seconds between two renewals of a running answer, and between two looks for abandoned ones."""
RETRY: Final = 0.5
UNDO: Final = 600.0
"""Seconds for which a deleted conversation can be restored."""
_PURGE_EVERY: Final = 60.0
_LAST_SECONDS: Final = 5.0
"""Seconds without progress of the database after which the last writes are given up at the end of the process."""
MOST_MEMORY: Final = 256 * 1024 * 1024
"""Bytes of running and unwritten answers; in memory each is there a few times over."""
_SHARE: Final = 4
"""The divisor of that for one person."""
_BUSY: Final = msg(
    "Too many long answers are being written at the moment. Wait until yours end, or try again in a moment."
)
_NOT_KEPT: Final = msg(
    "Conversations cannot be saved at the moment, and the memory for unsaved ones is full. Try again in a moment."
)
_NO_ROOM: Final = ErrorInfo(
    msg("Too many long answers were being written, so only the beginning of this one is kept. Try again in a moment."),
    code="no_room",
)


Written: TypeAlias = Callable[[set[str], bool], None]
"""Takes the ids of conversations with news in the store, and whether another process made them."""


class StoredRepository(Repository):
    """Keeps conversations in the database that `connect` opens, and shares their generations over `log`, if there are
    other processes.

    `announce` is called when keeping fails or works again. `written` is called once changes are written, or an
    abandoned answer of another process was closed; `vanished` takes the id of a conversation whose rows are gone.
    Conversations older than `retention_days` by `clock` are removed, unless `in_use` names them for so many seconds;
    None keeps them for ever. Running and unwritten answers take at most `most_memory`. Reading or changing the store
    raises StoreUnavailableError without a connection.
    """

    def __init__(
        self,
        connect: Callable[[], Awaitable[Database]],
        attachments: Attachments,
        *,
        announce: Callable[[], None],
        written: Written,
        vanished: Callable[[str], None],
        log: RedisLog | None,
        retention_days: float | None,
        most_memory: int,
        find_targets: FindTargets,
        clock: SteadyClock,
        in_use: Callable[[float], Collection[str]],
    ) -> None:
        super().__init__(attachments, find_targets)
        self.pending = PendingWrites()
        self.problem: StoreUnavailableError | None = None
        """Why the store cannot be used at the moment."""
        self._most_memory = most_memory
        self._connect = connect
        self._announce = announce
        self._written = written
        self._vanished = vanished
        self._refused: set[str] = set()
        self._log = log
        self._retention_days = retention_days
        self._clock = clock
        self._in_use = in_use
        self._is_compared = False
        self._database: Database | None = None
        self._breaking: set[asyncio.Task[None]] = set()
        self._flushes: set[asyncio.Task[None]] = set()
        self._flushing = asyncio.Lock()
        self._due = asyncio.Event()
        self._hurried = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._watching: asyncio.Task[None] | None = None
        # A process without others makes all answers itself: running ones in the store were left by an earlier process.
        self._lease = LEASE if log is not None else -math.inf
        self._next_look = self._next_purge = 0.0
        self._gives_up_at: float | None = None

    @property
    def failing(self) -> bool:
        """Whether changes cannot be written at the moment."""
        return self.problem is not None

    @property
    def unavailable(self) -> bool:
        """Whether the database cannot be reached at the moment."""
        return self._database is None or self._database.is_unavailable

    @property
    def store(self) -> Store:
        """The store."""
        return Store(self.opened())

    @property
    def feedback(self) -> StoredFeedback:
        """Ratings, comments and doubts."""
        return StoredFeedback(self.opened())

    @property
    def lists(self) -> StoredList:
        """The lists of conversations."""
        return StoredList(self.opened())

    async def start(self) -> None:
        """Connect, and write from now on; an unavailable database is tried repeatedly."""
        await self._attempt()
        self._task = asyncio.create_task(self._run(), name="keeping conversations")
        self._watching = asyncio.create_task(self._touch_database(), name="watching the database")

    async def stop(self) -> None:
        """Write all that is not written yet, as far as the store takes it, and close it.

        A write goes on while the database makes progress: a cut one has to begin again.
        """
        self._gives_up_at = time.monotonic() + _LAST_SECONDS
        self.hurry()
        seen = -1
        while self._task is not None and not self._task.done() and seen != self._statements:
            seen = self._statements
            with suppress(TimeoutError):
                async with within(_LAST_SECONDS):
                    await asyncio.wait({self._task})
        tasks = (self._task, self._watching, *self._breaking, *self._flushes)
        await cancel_all(task for task in tasks if task is not None)
        if left := self.pending.conversations:
            logger.error("conversations with unsaved changes that are lost: %d", len(left))
        await self._disconnect()

    def note(self, changes: Changes) -> bool:
        """Have these newest states written; False, since the store does not have them yet."""
        self.pending.note(changes)
        self._due.set()
        return False

    async def write_first(self, changes: Changes) -> None:
        """Write these changes in one transaction, after the pending ones."""
        try:
            async with self._until_still(), self._flushing:
                await self._flush()
                await self.store.write(changes)
        except StoreRefusedError:
            if await self.store.are_decided(one.decides for one in changes.turns):
                raise AlreadyDecidedError from None
            raise

    def begin(self, generation: LocalGeneration, client: AsyncClient) -> None:
        """Start a generation; write it as it grows, and let the other processes follow it."""
        self.pending.follow(generation)
        self._due.set()
        self._start(generation, client)
        if self._log is not None:
            self._log.share(generation)

    async def answers(self, generation_ids: Sequence[str]) -> Mapping[str, StoredAnswer]:
        """These answers by their ids, as far as the store has them.

        Raises:
            StoreUnavailableError: they cannot be read.
        """
        return await self.store.answers(generation_ids)

    async def current(self, owner: str) -> str | None:
        """The id of the conversation that the person began or opened last, in any process.

        Raises:
            StoreUnavailableError: it cannot be read.
        """
        return self.pending.current(owner) or await self.store.current(owner)

    def check_memory(self, owner: str) -> None:
        """Check the memory for another answer of this person.

        Raises:
            LimitReachedError: it is exhausted.
        """
        held = self.pending.bytes_by_owner()
        if sum(held.values()) >= self._most_memory or held[owner] >= self._most_memory // _SHARE:
            raise LimitReachedError(_NOT_KEPT if self.failing else _BUSY)

    def _free_memory(self) -> None:
        generations = self.pending.generations
        running = [one for one in generations if not one.ended]
        # An answer that has ended leaves as soon as it is written.
        staying = generations if self.failing else running
        surplus = sum(one.received for one in staying) - self._most_memory
        for generation in sorted(running, key=lambda one: one.received, reverse=True):
            if surplus <= 0:
                return
            surplus -= generation.received
            self._breaking.add(task := asyncio.create_task(generation.break_off(_NO_ROOM)))
            task.add_done_callback(self._breaking.discard)

    def hurry(self) -> None:
        """Write at once: an answer has ended, and other processes learn of that by the store."""
        self._due.set()
        self._hurried.set()

    async def catch_up(self) -> None:
        """Return once the store has all changes of this process until now.

        Raises:
            StoreUnavailableError: it cannot be written now.
        """
        async with self._until_still():
            # A write that stands still goes on without its waiting callers.
            flushing = asyncio.create_task(self._flush_in_turn())
            self._flushes.add(flushing)
            flushing.add_done_callback(self._flushed)
            await asyncio.shield(flushing)

    def _flushed(self, flushing: asyncio.Task[None]) -> None:
        self._flushes.discard(flushing)
        if not flushing.cancelled():
            # The caller may have left; the next flush reports a failure.
            flushing.exception()

    async def _flush_in_turn(self) -> None:
        async with self._flushing:
            await self._flush()

    async def forget(self, conversation_ids: set[str]) -> None:
        """Write nothing more of these conversations; a running write has ended when this returns.

        Raises:
            StoreUnavailableError: that write stands still.
        """
        async with self._until_still(), self._flushing:
            # A write that failed was noted again.
            self.pending.drop(conversation_ids)

    @property
    def _statements(self) -> int:
        return self._database.statements if self._database is not None else 0

    def _until_still(self) -> AbstractAsyncContextManager[None]:
        return self._database.until_still() if self._database is not None else nullcontext()

    def opened(self) -> Database:
        """The database.

        Raises:
            StoreUnavailableError: without a connection to it.
        """
        if self._database is None:
            raise StoreUnavailableError("the database is not connected")
        return self._database

    async def _run(self) -> None:
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(RENEWAL):
                    await self._due.wait()
            self._due.clear()
            self._hurried.clear()
            self._free_memory()
            # An attempt that began before the end may lack the last changes.
            gives_up_at = self._gives_up_at
            worked = await self._attempt()
            if gives_up_at is not None and (worked or not self.pending or time.monotonic() >= gives_up_at):
                return
            if self.pending.generations or not worked:
                self._due.set()
            if worked:
                with suppress(TimeoutError):
                    async with asyncio.timeout(FLUSH):
                        await self._hurried.wait()
            else:
                await asyncio.sleep(RETRY)

    async def _disconnect(self) -> None:
        if self._database is not None:
            database, self._database = self._database, None
            await database.close()

    async def _touch_database(self) -> None:
        """Notice that the database is away or stands still, even while a query waits for it.

        A late loop does not count as a database that stands still.
        """
        while True:
            self.look(RENEWAL)
            try:
                if self._database is not None:
                    await self._database.touch()
            except Exception as error:  # noqa: BLE001 - whatever it is, this goes on
                self._fail(error)
            await running_time.sleep(RENEWAL)

    def look(self, seconds: float) -> None:
        """Notice after so many `seconds` more that the database stands still, even while a write waits for it."""
        self._free_memory()
        if self._database is not None and self._database.look(seconds):
            self._fail(StoreUnavailableError(f"the database has made no progress for {WRITE_SECONDS:.0f} s"))

    async def _attempt(self) -> bool:
        """Write the pending changes; whether the store took them."""
        failed = self.failing
        try:
            if self._database is not None and self._database.is_replaced:
                await self._disconnect()
            if self._database is None:
                self._database = await self._connect()
            elif failed:
                await self._database.touch()
            if not self._is_compared:
                # With the dates written before: pending dates are of the same clock.
                self._clock.compare(await self.lists.newest_date())
                self._is_compared = True
            await self._flush_in_turn()
            if self._gives_up_at is None:
                await self._look_after()
        except Exception as error:  # noqa: BLE001 - whatever it is, it is tried again
            self._fail(error)
            return False
        if failed:
            logger.warning("conversations are stored again")
            self.problem = None
            self._announce()
        return True

    def _fail(self, error: Exception) -> None:
        if isinstance(error, StoreUnavailableError):
            problem = error
        else:
            logger.error("the store failed unexpectedly", exc_info=error)
            problem = StoreUnavailableError(f"unexpected {type(error).__name__}")
        former, self.problem = self.problem, problem
        if type(former) is not type(problem):
            logger.warning("conversations are not stored: %s", problem)
            self._announce()

    async def _flush(self) -> None:
        batch = self.pending.begin_batch(renew=time.monotonic() >= self._next_look)
        if not batch.changes:
            return
        try:
            closed = await self._write(batch.changes)
        except BaseException:
            self.pending.put_back(batch)
            raise
        self.pending.end_batch(batch, closed)
        self._written(batch.changes.concerned, False)

    async def _write(self, changes: Changes) -> set[str]:
        """Write; the ids of running generations that another process has closed."""
        try:
            return await self.store.write(changes)
        except StoreRefusedError:
            return await self._write_apart(changes)

    async def _write_apart(self, changes: Changes) -> set[str]:
        """Write conversation by conversation, so that a refused one does not delay others."""
        closed: set[str] = set()
        vanished = 0
        for part in changes.apart():
            try:
                closed |= await self.store.write(part)
            except StoreRefusedError:
                vanished += await self._note_refused(part)
        if vanished:
            logger.warning("open conversations that are missing from the database: %d", vanished)
        return closed

    async def _note_refused(self, part: Changes) -> bool:
        """Announce once that a conversation vanished, or log that it is refused; whether it vanished."""
        [conversation_id] = part.concerned or {one.generation.partition(".")[0] for one in part.pieces}
        if conversation_id in self._refused:
            return False
        begins = bool(part.conversations) and any(turn.parent is None for turn in part.turns)
        if begins or await self.store.has(conversation_id):
            logger.exception("a conversation could not be stored")
            self._refused.add(conversation_id)
            return False
        self.pending.drop({conversation_id})
        self._vanished(conversation_id)
        return True

    async def _look_after(self) -> None:
        now = time.monotonic()
        if now >= self._next_look:
            # Others may have stood still as long as this process did: they renew theirs before it looks.
            if self._log is None or now - self._next_look < LEASE / 2:
                await self._close_lapsed()
            if not self.pending.generations:
                await self.opened().settle()
            self._next_look = now + RENEWAL
        if now >= self._next_purge:
            await self.purge()
            self._next_purge = now + _PURGE_EVERY

    async def purge(self) -> None:
        """Remove expired data for good, if the clock can be relied on.

        Raises:
            StoreUnavailableError: it cannot be removed now.
        """
        date = self._clock.date()
        if date is None:
            return
        if self._retention_days is None:
            await self.lists.purge(deleted_before=date - UNDO)
        else:
            kept = self._retention_days * 86400
            await self.lists.purge(deleted_before=date - UNDO, older_than=date - kept, in_use=self._in_use(kept))
        await purge_snapshots(self.opened(), ended_before=date)

    async def _close_lapsed(self) -> None:
        texts: dict[str, str] = {}
        for left in await self.store.lapsed(self._lease):
            if self.pending.follows(left):
                continue
            text = await self._log.last_text(left) if self._log is not None else ""
            if text is not None:
                texts[left] = text
        if texts and (concerned := await self.store.close_lapsed(self._lease, texts)):
            self._written(concerned, True)
        self._lease = LEASE
