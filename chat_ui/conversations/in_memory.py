"""The conversations that one process has in memory."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from typing import Final
from weakref import WeakValueDictionary

from chat_ui.conversations.conversation import Conversation
from chat_ui.conversations.generation import Generation

MAX_CONVERSATIONS: Final = 300
"""How many conversations one process keeps in memory beside the store; the ones not used for longest go first."""
MAX_ALONE: Final = 1000
"""How many it keeps where there is no store."""
MAX_ANSWERS: Final = 500
"""How many ended answers one process keeps in memory when the store has them; the oldest go first."""


class InMemory:
    """Conversations by their ids, and which one each person has open.

    One that somebody looks at is found here even after it is not kept in memory for its own sake any more: there is
    never a second.
    """

    def __init__(self, most: int) -> None:
        """Keep at most so many for their own sake."""
        self._most = most
        self.open: dict[str, str] = {}
        """The id of the conversation that a person opened last, by person."""
        self.changes_elsewhere = 0
        """Grows when what is being read from the store may be old already."""
        self._by_id: WeakValueDictionary[str, Conversation] = WeakValueDictionary()
        self._recent: OrderedDict[str, Conversation] = OrderedDict()
        self._answers: OrderedDict[str, Generation] = OrderedDict()

    def __iter__(self) -> Iterator[Conversation]:
        """All of them; others may come and go meanwhile."""
        return iter(list(self._by_id.values()))

    def find(self, conversation_id: str) -> Conversation | None:
        """The conversation of that id, if it is here, whosever it is."""
        return self._by_id.get(conversation_id)

    def of(self, owner: str) -> list[Conversation]:
        """The person's conversations."""
        return [one for one in self if one.owner == owner]

    def keep(self, conversation: Conversation) -> None:
        """Have it here, as the one used last."""
        self._by_id[conversation.id] = conversation
        self._recent[conversation.id] = conversation
        self._recent.move_to_end(conversation.id)
        surplus = len(self._recent) - self._most
        if surplus > 0:
            for idle in [one for one in self._recent.values() if one.live is None][:surplus]:
                del self._recent[idle.id]

    def stored(self, generation: Generation) -> None:
        """Note that the store has all of an ended answer, so that it need not be here for ever."""
        self._answers.setdefault(generation.id, generation)
        if len(self._answers) > MAX_ANSWERS:
            _, oldest = self._answers.popitem(last=False)
            if conversation := self.find(oldest.asked.conversation):
                conversation.let_go(oldest)

    def outdate(self, conversation_id: str) -> None:
        """Take note that another process changed a conversation, which may be read at this moment."""
        self.outdate_readings()
        conversation = self.find(conversation_id)
        if conversation is not None:
            conversation.outdate()

    def outdate_readings(self) -> None:
        """Have whoever reads a conversation at this moment read it again."""
        self.changes_elsewhere += 1

    def forget(self, conversation_id: str) -> None:
        """Have it here no longer, and tell whoever looks at it that it is deleted."""
        self._recent.pop(conversation_id, None)
        gone = self._by_id.pop(conversation_id, None)
        if gone is not None:
            gone.deleted = True
            gone.signal.bump()
