"""People's feedback on answers: stored, and sent to every page that shows the answer."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import suppress

from chat_ui.conversations.generations.workers import Notice
from chat_ui.conversations.in_memory import InMemory
from chat_ui.conversations.records.feedback import Feedback, feedback_to_json
from chat_ui.conversations.records.records import FeedbackEntry
from chat_ui.conversations.store.quotas import Quotas
from chat_ui.conversations.stored_repository import StoredRepository
from chat_ui.errors import StoreUnavailableError


class AnswerFeedback:
    """The feedback that `repository` stores; `memory` has the conversations of this process, `tell` informs the others,
    and `quotas` checks the room. Every method raises StoreUnavailableError if the store cannot be used.
    """

    def __init__(
        self, repository: StoredRepository, memory: InMemory, quotas: Quotas, tell: Callable[[Notice], None]
    ) -> None:
        self._repository = repository
        self._memory = memory
        self._quotas = quotas
        self._tell = tell
        self.changed: Callable[[Feedback, Feedback], None] = lambda _former, _now: None
        """Takes a person's former and new feedback on an answer, once this process has stored it; never raises."""

    async def of(self, owner: str, answer: str) -> Feedback:
        """The person's feedback on the answer of this id; empty if it is not theirs."""
        return await self._repository.feedback.of(owner, answer)

    async def change(self, owner: str, answer: str, change: Callable[[Feedback], Feedback]) -> Feedback | None:
        """Replace the person's feedback on an answer by `change` of it; None if the answer is not theirs. A rating and
        its reasons need no room. Errors of `change` are raised, and change nothing.

        Raises:
            LimitReachedError: the added words exceed the quota.
        """
        before = await self.of(owner, answer)
        if (more := _bytes_of(change(before)) - _bytes_of(before)) > 0:
            await self._quotas.check(owner, more)
        conversation_id = answer.partition(".")[0]
        if self._repository.pending.has_any_of(conversation_id):
            await self._repository.catch_up()
        changed = await self._repository.feedback.change(owner, answer, change)
        if changed is None:
            return None
        former, now = changed
        if (conversation := self._memory.find(conversation_id)) is not None:
            conversation.rate(answer, now.rating)
        if former != now:
            self._tell(Notice(conversation=conversation_id))
            self.changed(former, now)
        return now

    async def given(self, owner: str | None = None, since: float = 0.0) -> AsyncIterator[FeedbackEntry]:
        """The feedback of a person, or of all people, as `StoredFeedback.given` has it."""
        with suppress(StoreUnavailableError):
            await self._repository.catch_up()
        return self._repository.feedback.given(owner, since)


def _bytes_of(feedback: Feedback) -> int:
    told = feedback_to_json(feedback)
    return len(json.dumps([told["comment"], told["doubted"]], ensure_ascii=False).encode("utf-8", "replace"))
