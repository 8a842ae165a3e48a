"""Deliveries of feedback in the store: several processes at one database share them."""

from __future__ import annotations

import asyncio
import time
from collections import Counter

import pytest

from chat_ui.conversations.records.feedback import Rating
from chat_ui.conversations.records.records import Changes
from chat_ui.conversations.store.conversation_list import StoredList
from chat_ui.conversations.store.database import Database
from chat_ui.conversations.store.store import Store
from chat_ui.conversations.store.stored_feedback import DueDelivery, StoredFeedback
from tests.conversations.kept import conversation, generation, turn

COUNT = 20
LATER = 10_000.0


@pytest.fixture
async def feedback(database: Database) -> StoredFeedback:
    """With changes on twenty answers, all of them to be delivered at once."""
    talk = conversation()
    asked = turn(talk)
    answers = tuple(generation(asked, number) for number in range(1, COUNT + 1))
    await Store(database).write(Changes((talk,), (asked,), answers))
    stored = StoredFeedback(database)
    for answer in answers:
        await stored.change("me", answer.id, lambda one: one.rated(Rating.GOOD), deliver_after=0)
    return stored


async def claim(stored: StoredFeedback, now: float) -> DueDelivery | None:
    return await stored.claim_due(now, lease=60, latest=LATER)


async def test_no_two_claim_one_delivery_and_none_is_left_over(feedback: StoredFeedback, elsewhere: Database):
    claimed = Counter[str]()

    async def work(stored: StoredFeedback) -> None:
        misses = 0
        while misses < 3:
            due = await claim(stored, time.time())
            if due is None:
                misses += 1
            else:
                claimed[due.answer] += 1
                await stored.delivered(due, is_told=True)

    await asyncio.gather(*(work(one) for one in (feedback, StoredFeedback(elsewhere)) for _ in range(3)))
    assert set(claimed.values()) == {1}
    assert len(claimed) == COUNT
    assert await feedback.next_due() is None


async def test_the_one_that_is_due_for_the_longest_comes_first_and_again_once_its_lease_is_over(
    feedback: StoredFeedback,
):
    now = time.time() + 1
    found = [await claim(feedback, now) for _ in range(COUNT)]
    assert await claim(feedback, now) is None
    times = [one.changed_at for one in found if one is not None]
    assert times == sorted(times)
    assert len(times) == COUNT
    assert await feedback.next_due() == now + 60
    assert await claim(feedback, now + 61) is not None


async def test_one_that_is_postponed_comes_after_the_others_and_counts_its_tries(feedback: StoredFeedback):
    now = time.time() + 1
    first = await claim(feedback, now)
    assert first is not None
    await feedback.postpone(first, now + 5)
    others = [await claim(feedback, now) for _ in range(COUNT - 1)]
    assert first.answer not in {one.answer for one in others if one is not None}
    again = await claim(feedback, now + 6)
    assert again is not None
    assert (again.answer, again.tries) == (first.answer, 1)


async def test_a_change_meanwhile_stays_due(feedback: StoredFeedback):
    first = await claim(feedback, time.time())
    assert first is not None
    await feedback.change("me", first.answer, lambda one: one.rated(Rating.BAD), deliver_after=0)
    await feedback.delivered(first, is_told=True)
    await feedback.postpone(first, time.time() + 5)
    found = [await claim(feedback, time.time() + 1) for _ in range(COUNT)]
    changed = next(one for one in found if one is not None and one.answer == first.answer)
    assert changed.changed_at > first.changed_at
    assert changed.tries == 0


async def test_claims_and_deletions_do_not_wait_for_each_other(feedback: StoredFeedback, database: Database):
    listed = StoredList(database)
    await listed.delete("me", conversation().id)

    async def claim_all() -> None:
        while (due := await claim(feedback, time.time())) is not None:
            await feedback.postpone(due, time.time() + 60)

    await asyncio.gather(claim_all(), claim_all(), listed.purge(deleted_before=time.time() + 1))
    # What was told of them has to be taken back.
    assert await feedback.next_due() is not None
