"""The conversations that one process has in memory."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Final
from weakref import WeakValueDictionary

from chat_ui.conversations.conversation import Conversation
from chat_ui.conversations.generations.local import LocalGeneration
from chat_ui.protocol.recently_used import RecentlyUsed

MEMORY_BYTES: Final = 32 * 1024 * 1024
"""Bytes of conversations in memory, and as many of ended, stored answers; the least recently used go first."""
_USED_BYTES: Final = 4 * 1024 * 1024


class InMemory:
    """Conversations by their ids.

    A conversation in use stays findable after its eviction, so that it is in memory once.
    """

    def __init__(self, memory_bytes: int = MEMORY_BYTES, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._monotonic = monotonic
        self._used: RecentlyUsed[str, float] = RecentlyUsed(_USED_BYTES)
        """The last use of conversations, by their ids; a second column is used as its conversation."""
        self.changes_elsewhere = 0
        """Grows with each change elsewhere, which a running read of the store may miss."""
        self._by_id: WeakValueDictionary[str, Conversation] = WeakValueDictionary()
        self._recent: RecentlyUsed[str, Conversation] = RecentlyUsed(memory_bytes)
        self._answers: RecentlyUsed[str, LocalGeneration] = RecentlyUsed(memory_bytes)

    def __iter__(self) -> Iterator[Conversation]:
        """All of them; others may come and go meanwhile."""
        return iter(list(self._by_id.values()))

    def find(self, conversation_id: str) -> Conversation | None:
        """The conversation of that id, if it is here, of any person."""
        return self._by_id.get(conversation_id)

    def of(self, owner: str) -> list[Conversation]:
        """The person's conversations."""
        return [one for one in self if one.owner == owner]

    def keep(self, conversation: Conversation) -> None:
        """Keep a conversation, as the most recently used."""
        self._by_id[conversation.id] = conversation
        self._recent.put(conversation.id, conversation, conversation.size)
        self._used.put(conversation.record.compared_with or conversation.id, self._monotonic(), 0)

    def in_use(self, seconds: float) -> set[str]:
        """The ids of conversations that were used within so many seconds or have a running answer, also in a column."""
        since = self._monotonic() - seconds
        used = {one for one in self._used if (self._used.get(one) or 0.0) >= since}
        return used | {one.record.compared_with or one.id for one in self if one.live is not None}

    def stored(self, generation: LocalGeneration) -> None:
        """Note that the store has all of an ended answer, which may be evicted from now on."""
        if generation.id in self._answers:
            return
        size = generation.size(self._answers.most_bytes)
        for oldest in self._answers.put(generation.id, generation, size):
            if conversation := self.find(oldest.asked.conversation):
                conversation.let_go(oldest)

    def outdate(self, conversation_id: str) -> None:
        """Note that another process changed a conversation, which may be read at this moment."""
        self.outdate_readings()
        conversation = self.find(conversation_id)
        if conversation is not None:
            conversation.outdate()

    def outdate_readings(self) -> None:
        """Have running reads of conversations repeated."""
        self.changes_elsewhere += 1

    def forget(self, conversation_id: str) -> None:
        """Drop a conversation, and tell its pages that it is deleted."""
        self._recent.pop(conversation_id)
        gone = self._by_id.pop(conversation_id, None)
        if gone is not None:
            gone.deleted = True
            gone.signal.bump()
