"""Writes changes of conversations to the store, behind the conversations' back.

No request waits for the store: changes are noted, and one task writes them, at most `FLUSH` seconds later and the end
of an answer at once, everything that came together in one transaction. While the store cannot be used, what is noted
waits, merged, and is written when the store returns; conversations go on meanwhile.
"""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Final, Protocol

from chat_ui.conversations.generations.local import LocalGeneration
from chat_ui.conversations.generations.tasks import cancel_all
from chat_ui.conversations.people.limits import LimitReachedError
from chat_ui.conversations.records.records import Changes, ConversationRecord, GenerationRecord, Piece, TurnRecord
from chat_ui.conversations.store.conversation_list import StoredList
from chat_ui.conversations.store.database import Database
from chat_ui.conversations.store.errors import StoreRefusedError, StoreUnavailableError
from chat_ui.conversations.store.store import Store
from chat_ui.protocol.events import ErrorInfo

logger = logging.getLogger(__name__)

FLUSH: Final = 0.2
"""Seconds at most between a change and its being written."""
LEASE: Final = 5.0
"""Seconds after which a running answer that was not renewed is taken for abandoned."""
RENEWAL: Final = 1.0
"""Seconds between two renewals of a running answer, and between two looks for abandoned ones."""
RETRY: Final = 0.5
UNDO: Final = 600.0
"""Seconds for which a deleted conversation can be brought back."""
_PURGE_EVERY: Final = 60.0
_LAST_SECONDS: Final = 5.0
"""Seconds for the last writes when the process ends."""
ROOM_BYTES: Final = 256 * 1024 * 1024
"""Bytes of answers that are being made here, or not written yet; in memory each is there a few times over."""
_SHARE: Final = 4
"""The part of that for one person: a fourth."""
_BUSY: Final = (
    "So many long answers are being written at the moment that there is no room for another. Wait for yours to end, or "
    "try again in a little while."
)
_NOT_KEPT: Final = (
    "Conversations cannot be kept at the moment, and there is no room for more of them until they are. Try again in a "
    "little while."
)
_NO_ROOM: Final = ErrorInfo(
    "So many long answers were being written that there was no room for the rest of this one. Its beginning is kept. "
    "Try again in a little while.",
    code="no_room",
)


@dataclass(slots=True)
class _Followed:
    """How far a running generation has been written; nothing of one is written whose `revision` is negative."""

    generation: LocalGeneration
    pieces: int = 0
    length: int = 0
    revision: int = -1


@dataclass(slots=True)
class _Noted:
    """Changes to be written; a later value replaces an earlier one."""

    conversations: dict[str, ConversationRecord] = field(default_factory=dict)
    turns: dict[str, TurnRecord] = field(default_factory=dict)
    current: dict[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.conversations or self.turns or self.current)

    def concerns(self, conversation_id: str) -> bool:
        """Whether there is something of this conversation."""
        return conversation_id in self.conversations or any(
            turn.conversation == conversation_id for turn in self.turns.values()
        )


class Written(Protocol):
    """Hears which conversations the store has something new of, made here or by another process."""

    def __call__(self, conversation_ids: set[str], *, by_another: bool) -> None:
        """Hear of these conversations."""


class Keeper:
    """Keeps conversations in the database that `connect` opens.

    `announce` is called when keeping fails or works again; `written` with the ids of conversations that the store has
    something new of, also when that is an abandoned answer of another process that was closed. `last_text` knows the
    text that such a process left, or None where it lives. Conversations older than `keep_days` are removed; None keeps
    them for ever. Answers that are being made, or wait to be written, take at most `room_bytes`.
    """

    def __init__(
        self,
        connect: Callable[[], Awaitable[Database]],
        *,
        announce: Callable[[], None],
        written: Written,
        last_text: Callable[[str], Awaitable[str | None]] | None = None,
        keep_days: float | None = None,
        room_bytes: int = ROOM_BYTES,
    ) -> None:
        self._room_bytes = room_bytes
        self._connect = connect
        self._announce = announce
        self._written = written
        self._last_text = last_text
        self._keep_days = keep_days
        self._database: Database | None = None
        self._noted = self._being_written = _Noted()
        self._followed: dict[str, _Followed] = {}
        self._breaking: set[asyncio.Task[None]] = set()
        self._flushing = asyncio.Lock()
        self._due = asyncio.Event()
        self._hurried = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._watching: asyncio.Task[None] | None = None
        # A process without others makes all answers itself: running ones in the store were left by an earlier process.
        self._lease = LEASE if last_text is not None else -math.inf
        self._next_look = self._next_purge = 0.0
        self.problem: StoreUnavailableError | None = None
        self._is_ending = False

    @property
    def failing(self) -> bool:
        """Whether what happens cannot be written at the moment."""
        return self.problem is not None

    @property
    def away(self) -> bool:
        """Whether the database cannot be reached at the moment."""
        return self._database is None or self._database.is_away

    @property
    def store(self) -> Store:
        """The store.

        Raises:
            StoreUnavailableError: there is no connection yet.
        """
        return Store(self._opened())

    @property
    def lists(self) -> StoredList:
        """The lists of conversations.

        Raises:
            StoreUnavailableError: there is no connection yet.
        """
        return StoredList(self._opened())

    async def start(self) -> None:
        """Connect, and write from now on; where the database cannot be used yet, it is tried again and again."""
        await self._attempt()
        self._task = asyncio.create_task(self._run(), name="keeping conversations")
        self._watching = asyncio.create_task(self._watch(), name="watching the database")

    async def stop(self) -> None:
        """Write all that is not written yet, as far as the store takes it, and close it."""
        self._is_ending = True
        self.hurry()
        if self._task is not None:
            # What is cut off while it writes holds a database up, and with it what is left to be written; and one that
            # was slow to answer may take it in a moment.
            await asyncio.wait({self._task}, timeout=_LAST_SECONDS)
        await cancel_all(task for task in (self._task, self._watching, *self._breaking) if task is not None)
        await self._attempt()
        await self._disconnect()

    def keep_conversation(self, record: ConversationRecord) -> None:
        """Note the newest state of a conversation."""
        self._noted.conversations[record.id] = record
        self._due.set()

    def keep_turn(self, record: TurnRecord) -> None:
        """Note the newest state of a turn."""
        self._noted.turns[record.id] = record
        self._due.set()

    def keep_current(self, owner: str, conversation_id: str) -> None:
        """Note which conversation a person has open."""
        self._noted.current[owner] = conversation_id
        self._due.set()

    async def current(self, owner: str) -> str | None:
        """The id of the conversation that the person opened last, in whichever process.

        Raises:
            StoreUnavailableError: it cannot be read.
        """
        for noted in (self._noted, self._being_written):
            if owner in noted.current:
                return noted.current[owner]
        return await self.store.current(owner)

    def follow(self, generation: LocalGeneration) -> None:
        """Write a generation as it grows, until it has ended and all of it is written."""
        self._followed[generation.id] = _Followed(generation)
        self._due.set()

    def check_room(self, owner: str) -> None:
        """See that there is room in memory for another answer of this person.

        Raises:
            LimitReachedError: there is none.
        """
        held = self._held_by()
        if sum(held.values()) >= self._room_bytes or held[owner] >= self._room_bytes // _SHARE:
            raise LimitReachedError(_NOT_KEPT if self.failing else _BUSY)

    def bytes_held(self, owner: str) -> int:
        """Bytes of the person's answers that are being made here or wait to be written."""
        return self._held_by()[owner]

    def _held_by(self) -> Counter[str]:
        """Bytes of the answers that are being made here or wait to be written, by person."""
        held: Counter[str] = Counter()
        for one in self._followed.values():
            held[one.generation.owner] += one.generation.received
        return held

    def _make_room(self) -> None:
        """Break off the largest answers where all of them take more than there is room for."""
        generations = [one.generation for one in self._followed.values()]
        running = [one for one in generations if not one.ended]
        # An answer that has ended leaves as soon as it is written.
        staying = generations if self.failing else running
        surplus = sum(one.received for one in staying) - self._room_bytes
        for generation in sorted(running, key=lambda one: one.received, reverse=True):
            if surplus <= 0:
                return
            surplus -= generation.received
            self._breaking.add(task := asyncio.create_task(generation.break_off(_NO_ROOM)))
            task.add_done_callback(self._breaking.discard)

    def hurry(self) -> None:
        """Write what there is at once: an answer has ended, and other processes know of that by the store."""
        self._due.set()
        self._hurried.set()

    def has_all_of(self, generation: LocalGeneration) -> bool:
        """Whether nothing of a generation that was followed is left to be written."""
        return generation.ended and generation.id not in self._followed

    def has_unwritten(self, conversation_id: str) -> bool:
        """Whether the store may lack something of this conversation, beside the text of a running answer."""
        return self.has_unwritten_turns(conversation_id) or any(
            one.generation.ended and one.generation.asked.conversation == conversation_id
            for one in self._followed.values()
        )

    def has_unwritten_turns(self, conversation_id: str) -> bool:
        """Whether the store may lack something of this conversation, beside its answers."""
        return self._noted.concerns(conversation_id) or self._being_written.concerns(conversation_id)

    async def catch_up(self) -> None:
        """Return once the store has all that happened here until now.

        Raises:
            StoreUnavailableError: it cannot be written now.
        """
        async with self._flushing:
            await self._flush()

    async def forget(self, conversation_ids: set[str]) -> None:
        """Write nothing more of these conversations; a write that had begun has ended once this returns."""
        self._drop(conversation_ids)
        async with self._flushing:
            # A write that failed was noted again.
            self._drop(conversation_ids)

    def _drop(self, conversation_ids: set[str]) -> None:
        noted = self._noted
        for conversation_id in conversation_ids:
            noted.conversations.pop(conversation_id, None)
        noted.turns = {key: turn for key, turn in noted.turns.items() if turn.conversation not in conversation_ids}
        noted.current = {owner: one for owner, one in noted.current.items() if one not in conversation_ids}
        self._followed = {
            key: one for key, one in self._followed.items() if one.generation.asked.conversation not in conversation_ids
        }

    def _opened(self) -> Database:
        if self._database is None:
            raise StoreUnavailableError("there is no connection to the database")
        return self._database

    async def _run(self) -> None:
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(RENEWAL):
                    await self._due.wait()
            self._due.clear()
            self._hurried.clear()
            self._make_room()
            worked = await self._attempt()
            if self._is_ending and (worked or not (self._noted or self._followed)):
                return
            if self._followed or not worked:
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

    async def _watch(self) -> None:
        """Notice that the database is away, even while a query waits for it."""
        while True:
            try:
                if self._database is not None:
                    await self._database.touch()
            except StoreUnavailableError as error:
                self._fail(error)
            await asyncio.sleep(RENEWAL)

    async def _attempt(self) -> bool:
        """Write what there is to write; whether the store took it."""
        failed = self.failing
        try:
            if self._database is not None and self._database.is_replaced:
                await self._disconnect()
            if self._database is None:
                self._database = await self._connect()
            elif failed:
                # There may be nothing to write.
                await self._database.touch()
            async with self._flushing:
                await self._flush()
            await self._look_after()
        except StoreUnavailableError as error:
            self._fail(error)
            return False
        if failed:
            logger.warning("conversations are being kept again")
            self.problem = None
            self._announce()
        return True

    def _fail(self, problem: StoreUnavailableError) -> None:
        former, self.problem = self.problem, problem
        if type(former) is not type(problem):
            logger.warning("conversations are not being kept: %s", problem)
            self._announce()

    async def _flush(self) -> None:
        noted = self._being_written = self._noted
        self._noted = _Noted()
        changes, written = self._changes(noted)
        if not changes:
            return
        try:
            closed = await self._write(changes)
        except BaseException:
            # Changes noted in the meantime are newer.
            noted.conversations.update(self._noted.conversations)
            noted.turns.update(self._noted.turns)
            noted.current.update(self._noted.current)
            self._noted = noted
            raise
        finally:
            self._being_written = _Noted()
        for key, followed in written.items():
            if key not in self._followed:
                continue
            if key in closed:
                # This process stood still for longer than the lease, and another took it for dead.
                self._followed[key] = _Followed(followed.generation)
            elif followed.generation.ended and followed.revision == followed.generation.context_revision:
                del self._followed[key]
            else:
                self._followed[key] = followed
        self._written(_concerned(changes), by_another=False)

    def _changes(self, noted: _Noted) -> tuple[Changes, dict[str, _Followed]]:
        """The changes to be written now, and how far the followed generations will be written then."""
        records: list[GenerationRecord] = []
        pieces: list[Piece] = []
        written: dict[str, _Followed] = {}
        for key, followed in self._followed.items():
            generation = followed.generation
            revision = generation.context_revision
            text, count = generation.text_since(followed.pieces)
            if generation.ended or revision != followed.revision:
                records.append(generation.record)
            if text and not generation.ended:
                pieces.append(Piece(key, followed.length, text))
            written[key] = _Followed(generation, count, followed.length + len(text), revision)
        alive = tuple(key for key, one in self._followed.items() if not one.generation.ended)
        changes = Changes(
            conversations=tuple(noted.conversations.values()),
            turns=tuple(noted.turns.values()),
            generations=tuple(records),
            anew=tuple(key for key, one in self._followed.items() if one.revision < 0),
            pieces=tuple(pieces),
            alive=alive if pieces or time.monotonic() >= self._next_look else (),
            current=noted.current,
        )
        return changes, written

    async def _write(self, changes: Changes) -> set[str]:
        """Write; the ids of running generations that another process has closed."""
        try:
            return await self.store.write(changes)
        except StoreRefusedError:
            return await self._write_apart(changes)

    async def _write_apart(self, changes: Changes) -> set[str]:
        """Write conversation by conversation, so that one that the database refuses holds up no other."""
        closed: set[str] = set()
        of_piece = {piece.generation: piece.generation.partition(".")[0] for piece in changes.pieces}
        parts = [
            Changes(
                conversations=tuple(one for one in changes.conversations if one.id == key),
                turns=tuple(one for one in changes.turns if one.conversation == key),
                generations=tuple(one for one in changes.generations if one.conversation == key),
                anew=tuple(one for one in changes.anew if one.partition(".")[0] == key),
                pieces=tuple(one for one in changes.pieces if of_piece[one.generation] == key),
            )
            for key in _concerned(changes) | set(of_piece.values())
        ]
        for part in (*parts, Changes(alive=changes.alive, current=changes.current)):
            try:
                closed |= await self.store.write(part)
            except StoreRefusedError:
                logger.exception("a conversation could not be written and is not kept")
        return closed

    async def _look_after(self) -> None:
        """Close answers that a dead process left, write the log of the database back, and purge old conversations."""
        now = time.monotonic()
        if now >= self._next_look:
            await self._close_lapsed()
            if not self._followed:
                await self._opened().settle()
            self._next_look = now + RENEWAL
        if now >= self._next_purge:
            oldest = time.time() - self._keep_days * 86400 if self._keep_days is not None else None
            await self.lists.purge(deleted_before=time.time() - UNDO, older_than=oldest)
            self._next_purge = now + _PURGE_EVERY

    async def _close_lapsed(self) -> None:
        texts: dict[str, str] = {}
        for left in await self.store.lapsed(self._lease):
            if left in self._followed:
                continue
            text = await self._last_text(left) if self._last_text is not None else ""
            if text is not None:
                texts[left] = text
        if texts and (concerned := await self.store.close_lapsed(self._lease, texts)):
            self._written(concerned, by_another=True)
        self._lease = LEASE


def _concerned(changes: Changes) -> set[str]:
    """The ids of the conversations of which more changed than the text of a running answer."""
    return (
        {record.id for record in changes.conversations}
        | {record.conversation for record in changes.turns}
        | {record.conversation for record in changes.generations}
    )
