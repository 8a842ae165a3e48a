"""All conversations: those in use are in memory, the others in the store."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from redis.asyncio import Redis

from chat_ui.conversations.answer_feedback import AnswerFeedback
from chat_ui.conversations.conversation import Conversation, Turn
from chat_ui.conversations.generations.generation import Generation
from chat_ui.conversations.generations.redis_log import RedisLog
from chat_ui.conversations.generations.remote import RemoteGeneration
from chat_ui.conversations.generations.targets import FindTargets, only_target
from chat_ui.conversations.generations.workers import Notice, Workers
from chat_ui.conversations.in_memory import MEMORY_BYTES, InMemory
from chat_ui.conversations.lists import Lists
from chat_ui.conversations.people.attached_images import Attachments
from chat_ui.conversations.records.records import Better, Changes, StoredAnswer
from chat_ui.conversations.snapshots import Snapshots
from chat_ui.conversations.steady_clock import SteadyClock
from chat_ui.conversations.store.database import Database
from chat_ui.conversations.store.quotas import PERSON_BYTES, STORE_BYTES, Quotas
from chat_ui.conversations.store.stored_feedback import Preferences
from chat_ui.conversations.stored_repository import MOST_MEMORY, StoredRepository
from chat_ui.errors import StillAnsweringError, StoreUnavailableError

_BEGINS_WITHIN: Final = 5.0
"""Seconds after which a question of a page that did not begin is lost."""
_KNOWN_AFTER: Final = 10.0


class Conversations:
    """The conversations of this process, each of one person.

    They are stored in the database that `connect` opens, for `retention_days` by `clock`. `find_targets` finds how each
    question is answered. With `redis` any process with the same database and Redis follows and stops answers of others.
    `attachments` has the images of questions. At most `memory_bytes` of stored conversations are in memory as well;
    answers that are not stored yet take at most `most_memory`. The quotas are `person_bytes` for one person, and
    `store_bytes` for all.
    """

    def __init__(
        self,
        connect: Callable[[], Awaitable[Database]],
        *,
        retention_days: float | None = None,
        redis: Redis | None = None,
        attachments: Attachments | None = None,
        find_targets: FindTargets = only_target,
        memory_bytes: int = MEMORY_BYTES,
        person_bytes: int = PERSON_BYTES,
        store_bytes: int = STORE_BYTES,
        most_memory: int = MOST_MEMORY,
        clock: SteadyClock | None = None,
    ) -> None:
        self.clock = clock or SteadyClock()
        self._memory = InMemory(memory_bytes, self.clock.monotonic)
        self.log = RedisLog(redis, self._kept) if redis is not None else None
        self.on_signed_out: list[Callable[[str], None]] = []
        self.workers = Workers(redis, self._on_notice, self._on_missed) if redis is not None else None
        self.attachments = attachments or Attachments()
        self.repository = StoredRepository(
            connect,
            self.attachments,
            announce=self.announce,
            written=self._written,
            vanished=self._vanished,
            log=self.log,
            retention_days=retention_days,
            most_memory=most_memory,
            find_targets=find_targets,
            clock=self.clock,
            in_use=self._memory.in_use,
        )
        self._stopping: set[asyncio.Task[None]] = set()
        pending = self.repository.pending
        self._quotas = Quotas(
            lambda: self.lists.stored, lambda owner: pending.bytes_by_owner()[owner], person_bytes, store_bytes
        )
        self.lists = Lists(self.repository, self._memory, self.attachments, self._tell, self.stop, quotas=self._quotas)
        self.snapshots = Snapshots(self.repository.opened, self._quotas, self.lists.changed)
        self.feedback = AnswerFeedback(self.repository, self._memory, self._quotas, self._tell)

    @property
    def unsaved_notice(self) -> str:
        """The notice for people while conversations cannot be written; else empty."""
        return self.repository.problem.notice if self.repository.problem is not None else ""

    @property
    def unavailable(self) -> bool:
        """Whether the database is currently unreachable."""
        return self.repository.unavailable

    @property
    def apart(self) -> bool:
        """Whether the other processes are currently unreachable."""
        return self.workers is not None and self.workers.unavailable

    async def can_be_stored(self) -> bool:
        """Whether the store, with its newest schema, can be used now."""
        if self.repository.failing:
            return False
        try:
            await self.repository.store.current("")
        except StoreUnavailableError:
            return False
        return not self.repository.failing

    async def can_be_shared(self) -> bool:
        """Whether the other processes can be reached now, if any."""
        return self.workers is None or await self.workers.reachable()

    async def begin(self) -> None:
        """Keep and share from now on."""
        await self.repository.start()
        if self.workers is not None:
            await self.workers.start()

    async def end(self) -> None:
        """Write all that is not written yet; answers must have ended."""
        await self.repository.stop()
        if self.workers is not None:
            await self.workers.close()
        if self.log is not None:
            await self.log.close()

    async def current(self, owner: str) -> Conversation | None:
        """The conversation that the person began or opened last, if any; None while it cannot be read."""
        with suppress(StoreUnavailableError):
            return await self.get(owner, await self.repository.current(owner) or "")
        return None

    def start(self, owner: str) -> Conversation:
        """A new, empty conversation. It is written with its first question."""
        conversation = Conversation(owner, self.repository)
        self._memory.keep(conversation)
        return conversation

    async def compare(self, conversation: Conversation) -> Conversation:
        """The second column of this conversation, which is not a column itself; a new, empty one if missing.

        Raises:
            StoreUnavailableError: it is not in memory, and the store cannot be read.
        """
        owner = conversation.owner
        # Another tab may have begun it while the store was asked.
        column = await self.second_column(owner, conversation.id) or self._second_column_in_memory(
            owner, conversation.id
        )
        if column is None:
            column = Conversation(owner, self.repository, compared_with=conversation.id)
            self._memory.keep(column)
        return column

    async def second_column(self, owner: str, conversation_id: str) -> Conversation | None:
        """The second column of the person's conversation, if any.

        Raises:
            StoreUnavailableError: it is not in memory, and the store cannot be read.
        """
        column = self._second_column_in_memory(owner, conversation_id)
        if column is not None or not conversation_id:
            return column
        columns = await self.repository.lists.second_columns_of(owner, conversation_id)
        return await self.get(owner, columns[0]) if columns else None

    def _second_column_in_memory(self, owner: str, conversation_id: str) -> Conversation | None:
        columns = (
            one for one in self._memory.of(owner) if one.record.compared_with == conversation_id and not one.deleted
        )
        return max(columns, key=lambda one: one.record.created_at, default=None)

    async def part(self, conversation: Conversation) -> None:
        """Make the second column of this conversation a conversation in the list.

        Raises:
            StoreUnavailableError: the store has it, and cannot be changed.
        """
        owner = conversation.owner
        await self.repository.catch_up()
        columns = await self.repository.lists.second_columns_of(owner, conversation.id)
        await self.repository.lists.part(owner, conversation.id)
        for one in self._memory.of(owner):
            if one.record.compared_with == conversation.id:
                one.retitle(replace(one.record, compared_with=None))
        for column in columns:
            self._tell(Notice(conversation=column))
        self.lists.changed(owner)

    async def prefer(self, owner: str, left: str, right: str, better: Better) -> bool:
        """Keep the person's preference between two answers to one question, by their ids. False unless they are the
        person's, of a conversation and of its second column.

        Raises:
            StoreUnavailableError: it cannot be kept.
        """
        await self.repository.catch_up()
        return await Preferences(self.repository.opened()).keep(owner, left, right, better)

    async def preferred(self, column: Conversation, most: int) -> list[tuple[str, str, Better]]:
        """The newest `most` preferences between answers of this second column and of its conversation, oldest first:
        the ids of two answers, and which is better.

        Raises:
            StoreUnavailableError: it cannot be read.
        """
        return await Preferences(self.repository.opened()).of(column.id, most)

    def open(self, conversation: Conversation) -> None:
        """Note that the person has this conversation open."""
        self.repository.note(Changes(current={conversation.owner: conversation.id}))

    def look_up(self, owner: str, conversation_id: str) -> None:
        """Wake everything that follows this conversation in this process."""
        conversation = self._memory.find(conversation_id)
        if conversation is not None and conversation.owner == owner:
            conversation.signal.bump()

    async def get(self, owner: str, conversation_id: str) -> Conversation | None:
        """The person's conversation of that id; None for other people's.

        Raises:
            StoreUnavailableError: it is not in memory, and the store cannot be read.
        """
        found = self._memory.find(conversation_id)
        if found is None and conversation_id:
            elsewhere = self._memory.changes_elsewhere
            pending = self.repository.pending.has_any_of(conversation_id)
            outline = await self.repository.store.outline(owner, conversation_id)
            images = await self.attachments.of_turns(conversation_id) if outline is not None else {}
            found = self._memory.find(conversation_id)
            if found is None and outline is not None:
                found = Conversation(owner, self.repository, outline.conversation)
                found.merge(outline)
                found.set_images(images)
                if pending or elsewhere != self._memory.changes_elsewhere:
                    found.outdate()
                # Before the next await: a conversation is in memory once.
                self._memory.keep(found)
        if found is None or found.owner != owner:
            return None
        if found.stale:
            await self._refresh(found)
        if found.deleted:
            return None
        self._memory.keep(found)
        return found

    async def answer(self, owner: str, generation_id: str) -> Generation | None:
        """The person's answer of that id; None for other people's.

        Raises:
            StoreUnavailableError: it is not in memory, nor followed by its log, and the store cannot be read.
        """
        conversation = self._memory.find(generation_id.partition(".")[0])
        if conversation is not None:
            if conversation.owner != owner:
                return None
            if (generation := conversation.generation(generation_id)) is not None:
                return generation
        try:
            kept = await self._kept(owner, generation_id)
        except StoreUnavailableError:
            if self.log is not None and (found := await self.log.open(owner, generation_id, None)) is not None:
                return found
            raise
        if kept is not None and (self.log is None or kept.ended):
            return RemoteGeneration(owner, kept, is_followed=False)
        return await self.log.open(owner, generation_id, kept) if self.log is not None else None

    async def begun(self, owner: str, generation_id: str) -> None:
        """Wait a few seconds for the beginning of the answer of that id, if the person's page may just have asked for
        it.

        Raises:
            StoreUnavailableError: its conversation is not in memory, and the store cannot be read.
        """
        conversation = await self.get(owner, generation_id.partition(".")[0])
        with suppress(TimeoutError):
            async with asyncio.timeout(_BEGINS_WITHIN):
                while conversation is not None and not conversation.has_answer(generation_id):
                    seen = conversation.signal.revision
                    if self.log is not None and await self.answer(owner, generation_id) is not None:
                        return
                    await conversation.signal.wait(seen)

    async def has_capacity(self, owner: str, characters: int) -> None:
        """Check the room for a question of the person, and for its answer.

        Raises:
            LimitReachedError: it is exhausted.
        """
        self.repository.check_memory(owner)
        with suppress(StoreUnavailableError):
            await self._quotas.check(owner, characters)

    async def may_ask(self, conversation: Conversation) -> None:
        """Check that an answer is not running in this conversation, nor about to run in another process.

        Do not await anything between this and the question.

        Raises:
            StillAnsweringError: one is.
        """
        if self.workers is not None:
            place = f"{conversation.id}:{conversation.answers_begun}"
            if not await self.workers.first_to_ask(place, _KNOWN_AFTER):
                raise StillAnsweringError
        conversation.check_not_answering()

    async def share(self, conversation: Conversation, turn: Turn) -> None:
        """Let the other processes find a question that was asked here, with its images, and its answer.

        After this, the page may ask any of them for the answer.
        """
        if turn.images:
            await self.attachments.remember(conversation.id, turn.id, turn.images)
            self._tell(Notice(conversation=conversation.id))
        if self.log is not None:
            await self.log.has_begun(turn.generation.id)

    async def stop(self, conversation: Conversation) -> None:
        """Stop its running answer, in any process; its text stays."""
        if (live := conversation.live) is None:
            return
        if (made_here := conversation.generation(live.id)) is not None:
            await made_here.stop()
        else:
            self._tell(Notice(stop=live.id))

    async def _kept(self, owner: str, generation_id: str) -> StoredAnswer | None:
        return await self.repository.store.answer(owner, generation_id)

    def announce(self) -> None:
        """Have every page that follows a conversation look at it again."""
        for conversation in self._memory:
            conversation.signal.bump()

    def running(self, owner: str) -> int:
        """The number of the person's running answers."""
        return sum(1 for found in self._memory.of(owner) if found.live is not None)

    async def end_running(self, grace: float) -> None:
        """Give running answers `grace` seconds to end by themselves, and end the rest as interrupted."""
        running = [one for conversation in self._memory for one in conversation.generations() if not one.ended]
        if running:
            ends = [asyncio.create_task(one.wait_for_end()) for one in running]
            _, waiting = await asyncio.wait(ends, timeout=grace)
            for task in waiting:
                task.cancel()
            await asyncio.gather(*(one.interrupt() for one in running))

    def _written(self, conversation_ids: set[str], by_another: bool) -> None:
        """Note that the store has news of these conversations, of this process or one that is gone."""
        pending = self.repository.pending
        for conversation_id in conversation_ids:
            self._tell(Notice(conversation=conversation_id))
            if by_another:
                self._memory.outdate(conversation_id)
            conversation = self._memory.find(conversation_id)
            if conversation is not None:
                for generation in conversation.generations():
                    if generation.ended and not pending.follows(generation.id):
                        self._memory.stored(generation)
                if conversation.waits != conversation.is_listed_as_waiting:
                    conversation.is_listed_as_waiting = conversation.waits
                    self.lists.changed(conversation.owner)
                was_written = conversation.is_written
                conversation.is_written = not pending.has_turns_of(conversation_id)
                if conversation.stale or conversation.is_written != was_written:
                    conversation.signal.bump()
        self.lists.written(conversation_ids)

    def _vanished(self, conversation_id: str) -> None:
        """The rows of a conversation are gone, though it was not deleted here."""
        self._tell(Notice(gone=conversation_id))
        self._soon(self.lists.forget(conversation_id))

    def _on_missed(self) -> None:
        self._memory.outdate_readings()
        for conversation in self._memory:
            conversation.outdate()
        if not self.apart:
            self.lists.may_have_changed()

    async def _refresh(self, conversation: Conversation) -> None:
        """Merge the newest state of the store into a conversation.

        If the store cannot be read, or lacks changes of this process, the next look tries again.
        """
        # Reads follow one another: the first may be older.
        async with conversation.refreshing:
            # A change announced during the read may be missing, so the store is read again.
            while conversation.stale and not self.repository.pending.has_any_of(conversation.id):
                elsewhere, own = conversation.changes_elsewhere, conversation.own_changes
                try:
                    outline = await self.repository.store.outline(conversation.owner, conversation.id)
                except StoreUnavailableError:
                    return
                images = await self.attachments.of_turns(conversation.id)
                if own != conversation.own_changes:
                    continue
                if outline is not None:
                    conversation.merge(outline)
                    conversation.set_images(images)
                elif conversation.turns:
                    await self.lists.forget(conversation.id)
                conversation.changes_read = elsewhere

    def sign_out(self, session: str) -> None:
        """Close the pages of a session, by its digest, in every process."""
        for close in self.on_signed_out:
            close(session)
        self._tell(Notice(signed_out=session))

    def _tell(self, notice: Notice) -> None:
        if self.workers is not None:
            self.workers.tell(notice)

    def _on_notice(self, notice: Notice) -> None:
        if notice.conversation:
            self._memory.outdate(notice.conversation)
        if notice.gone:
            self._soon(self.lists.forget(notice.gone))
        if notice.list_of:
            self.lists.changed_here(notice.list_of)
        if notice.signed_out:
            for close in self.on_signed_out:
                close(notice.signed_out)
        if notice.deleted:
            self._soon(self.lists.forget_all(notice.deleted))
        if notice.stop:
            conversation = self._memory.find(notice.stop.partition(".")[0])
            generation = conversation.generation(notice.stop) if conversation is not None else None
            if generation is not None:
                self._soon(generation.stop())

    def _soon(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._stopping.add(task)
        task.add_done_callback(self._stopping.discard)
