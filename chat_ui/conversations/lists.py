"""Every person's list of conversations, and operations on whole conversations."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from chat_ui.conversations.conversation import Conversation
from chat_ui.conversations.generations.workers import Notice
from chat_ui.conversations.in_memory import InMemory
from chat_ui.conversations.people.attached_images import Attachments
from chat_ui.conversations.records.records import MAX_TITLE, Transcript
from chat_ui.conversations.store.conversation_list import MOST_PINNED, StoredList
from chat_ui.conversations.store.quotas import Quotas
from chat_ui.conversations.store.rows import Batch
from chat_ui.conversations.store.store import Origin, ShownTurn
from chat_ui.conversations.stored_repository import StoredRepository
from chat_ui.errors import LimitReachedError, StoreUnavailableError
from chat_ui.protocol.recently_used import RecentlyUsed
from chat_ui.protocol.translatable import msg

_REVISION_BYTES: Final = 4 * 1024 * 1024


class Lists:
    """The lists as `repository` stores them, with the conversations in `memory` and their `attachments` kept in step.

    `tell` informs the other processes; `stop` ends the running answer of a conversation; `quotas` checks the room.
    Every method raises StoreUnavailableError if the store cannot be used.
    """

    def __init__(
        self,
        repository: StoredRepository,
        memory: InMemory,
        attachments: Attachments,
        tell: Callable[[Notice], None],
        stop: Callable[[Conversation], Awaitable[None]],
        *,
        quotas: Quotas,
    ) -> None:
        self._quotas = quotas
        self._repository = repository
        self._memory = memory
        self._attachments = attachments
        self._tell = tell
        self._stop = stop
        self._revision = 0
        self._revisions: RecentlyUsed[str, int] = RecentlyUsed(_REVISION_BYTES)
        self._unlisted: set[str] = set()

    @property
    def stored(self) -> StoredList:
        """The lists in the store, to read them.

        Raises:
            StoreUnavailableError: without a connection.
        """
        return self._repository.lists

    def revision(self, owner: str) -> int:
        """A number that changes with each known change of the person's list."""
        return self._revisions.get(owner) or 0

    async def may_have_any(self, owner: str) -> bool:
        """Whether the person has a conversation; True also while that is unknown."""
        try:
            return bool(await self.stored.page(owner, None, 1) or await self.stored.pinned(owner))
        except StoreUnavailableError:
            return True

    async def rename(self, owner: str, conversation_id: str, title: str) -> bool:
        """Give it another title; False if it is not the person's."""
        await self._repository.catch_up()
        changed = await self.stored.rename(owner, conversation_id, title)
        return self._retitled(owner, conversation_id, changed, title=title[:MAX_TITLE], renamed=True)

    async def pin(self, owner: str, conversation_id: str, pinned: bool) -> bool:
        """Pin or unpin it; False if it is not the person's.

        Raises:
            LimitReachedError: so many are pinned already.
        """
        if pinned and len(await self.stored.pinned(owner)) >= MOST_PINNED:
            raise LimitReachedError(
                msg(
                    "You have pinned {most} conversations, which is the limit. Unpin one, then pin this one.",
                    most=MOST_PINNED,
                )
            )
        await self._repository.catch_up()
        changed = await self.stored.pin(owner, conversation_id, pinned)
        return self._retitled(owner, conversation_id, changed, pinned=pinned)

    async def delete(self, owner: str, conversation_id: str) -> bool:
        """Delete it with its second column and its running answer; it can be restored for a while."""
        conversation = self._memory.find(conversation_id)
        if conversation is not None and conversation.owner == owner:
            await self._stop(conversation)
        await self._repository.catch_up()
        columns = set(await self.stored.second_columns_of(owner, conversation_id))
        deleted = await self.stored.delete(owner, conversation_id)
        columns.update(one.id for one in self._memory.of(owner) if one.record.compared_with == conversation_id)
        for gone in (conversation_id, *columns) if deleted else ():
            await self.forget(gone)
            self._tell(Notice(gone=gone))
        self.changed(owner)
        return deleted

    async def forget(self, conversation_id: str) -> None:
        """Stop the answer of a deleted conversation, and drop it from memory, unless it is read again."""
        self._memory.outdate_readings()
        self._unlisted.discard(conversation_id)
        conversation = self._memory.find(conversation_id)
        if conversation is not None:
            await self._stop(conversation)
            self._memory.forget(conversation_id)

    async def restore(self, owner: str, conversation_id: str) -> bool:
        """Restore a deleted one; False if it is purged.

        Raises:
            LimitReachedError: the quota lacks room for it.
        """
        size = await self.stored.bytes_to_restore(owner, conversation_id)
        await self._quotas.check(owner, size, was_deleted=True)
        restored = await self.stored.restore(owner, conversation_id)
        self.changed(owner)
        return restored

    async def delete_all(self, owner: str) -> int:
        """Remove everything of the person for good; the number of conversations."""
        await self.forget_all(owner)
        removed = await self.stored.delete_all(owner)
        # Tabs may have read conversations that were still there.
        await self.forget_all(owner)
        self._tell(Notice(deleted=owner))
        self.changed(owner)
        return removed

    async def hand_over(self, owner: str, to: str, only: str = "") -> None:
        """Make the person's conversations, or `only` one with its second column, another person's.

        Attached images stay behind.

        Raises:
            StillAnsweringError: an answer of them runs.
            LimitReachedError: the quota of `to` lacks room.
        """
        size = 0 if only else (await self.stored.bytes_of(owner))[0]
        await self._quotas.check(to, size, was_deleted=True)
        await self._repository.catch_up()
        moved = await self.stored.hand_over(owner, to, only)
        if only:
            for gone in moved:
                await self.forget(gone)
                self._tell(Notice(gone=gone))
        else:
            await self.forget_all(owner)
            self._tell(Notice(deleted=owner))
        self.changed(owner)
        self.changed(to)

    async def forget_all(self, owner: str) -> None:
        """Stop the person's running answers, and write nothing more of them."""
        self._memory.outdate_readings()
        theirs = self._memory.of(owner)
        for conversation in theirs:
            await self._stop(conversation)
        await self._repository.forget({one.id for one in theirs})
        for conversation in theirs:
            self._unlisted.discard(conversation.id)
            self._memory.forget(conversation.id)
        await self._attachments.forget_all(owner)

    async def import_batches(self, owner: str, batches: Iterator[Batch], size: int) -> None:
        """Keep an import of `size` bytes for a person.

        Raises:
            StoreRefusedError: it cannot be written, now or later.
            LimitReachedError: the quota lacks room for all of it; it is then dropped.
        """
        await self._quotas.check(owner, size)
        store = self._repository.store
        try:
            while (batch := await asyncio.to_thread(next, batches, None)) is not None:
                await store.bring_in(batch)
        finally:
            self.changed(owner)

    def changed_elsewhere(self, conversation_id: str) -> None:
        """Have a conversation read again, here and in the other processes, after a change of the store."""
        self._memory.outdate(conversation_id)
        self._tell(Notice(conversation=conversation_id))

    async def transcript(self, owner: str, conversation_id: str) -> Transcript | None:
        """The person's whole conversation; None for other people's."""
        await self._try_to_catch_up()
        return await self._repository.store.transcript(owner, conversation_id)

    async def shown_with_origins(
        self, owner: str, conversation_id: str
    ) -> tuple[str, list[ShownTurn], list[Origin]] | None:
        """The title, the shown turns, unread, and the backend of each answer; None as in `transcript`."""
        await self._try_to_catch_up()
        return await self._repository.store.shown_with_origins(owner, conversation_id)

    async def transcripts(self, owner: str) -> AsyncIterator[Transcript]:
        """All conversations of the person, to be read one by one, which may raise StoreUnavailableError as well."""
        await self._try_to_catch_up()
        return self._repository.store.transcripts(owner)

    def has_begun(self, conversation: Conversation) -> None:
        """Announce this new conversation in the person's list, once the store has it."""
        self._unlisted.add(conversation.id)

    def written(self, conversation_ids: Iterable[str]) -> None:
        """The store has these conversations now."""
        for conversation_id in self._unlisted.intersection(conversation_ids):
            self._unlisted.discard(conversation_id)
            if begun := self._memory.find(conversation_id):
                self.changed(begun.owner)

    def changed(self, owner: str) -> None:
        """Announce a change of the person's list."""
        self._tell(Notice(list_of=owner))
        self.changed_here(owner)

    def changed_here(self, owner: str) -> None:
        """Announce it to the pages of this process."""
        # Counted over all people: a revision that was dropped never comes again.
        self._revision += 1
        self._revisions.put(owner, self._revision, 0)
        for conversation in self._memory.of(owner):
            conversation.signal.bump()

    def may_have_changed(self) -> None:
        """Have every page of this process read its list again."""
        for owner in {conversation.owner for conversation in self._memory}:
            self.changed_here(owner)

    async def _try_to_catch_up(self) -> None:
        """Write changes of this process if possible: the store can be read in any case."""
        with suppress(StoreUnavailableError):
            await self._repository.catch_up()

    def _retitled(self, owner: str, conversation_id: str, changed: bool, **values: Any) -> bool:
        conversation = self._memory.find(conversation_id)
        if changed and conversation is not None:
            conversation.retitle(replace(conversation.record, **values))
        if changed:
            self._tell(Notice(conversation=conversation_id))
        self.changed(owner)
        return changed
