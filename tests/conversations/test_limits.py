"""What one person may ask for, counted in one process or, with Redis, in all of them."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

import pytest
from redis.asyncio import Redis

from chat_ui.conversations.people.limits import (
    FEW,
    LATE,
    Admission,
    Allowance,
    LimitReachedError,
    Limits,
)
from chat_ui.conversations.redis_connection import redis_at
from tests.late_loop import run_late
from tests.patience import PATIENCE
from tests.redis_server import RedisServer, running_redis

LIMITS = Limits(questions_per_minute=3, answers_at_once=2, question_characters=100)


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def allowance(clock: Clock) -> Allowance:
    return Allowance(LIMITS, clock=clock)


async def test_one_question_too_many_says_when_to_try_again(allowance: Allowance, clock: Clock):
    for _ in range(3):
        await allowance.take("ann")
        clock.now += 5
    with pytest.raises(LimitReachedError, match=r"asked 3 questions within a minute.*Try again in 45 seconds\."):
        await allowance.take("ann")


async def test_room_comes_back_one_question_after_the_other(allowance: Allowance, clock: Clock):
    for _ in range(3):
        await allowance.take("ann")
        clock.now += 10
    for wait in (30, 10, 10):
        with pytest.raises(LimitReachedError) as reached:
            await allowance.take("ann")
        assert reached.value.wait == wait
        clock.now += wait - 0.5
        with pytest.raises(LimitReachedError, match=r"again in 1 second\."):
            await allowance.take("ann")
        clock.now += 0.5
        await allowance.take("ann")


async def test_questions_that_never_fit_wait_a_minute_from_now(allowance: Allowance, clock: Clock):
    await allowance.take("ann")
    clock.now += 7
    with pytest.raises(LimitReachedError) as reached:
        await allowance.take("ann", questions=5)
    assert reached.value.wait == 60
    with pytest.raises(LimitReachedError) as reached:
        await allowance.take("ann", questions=3)
    assert reached.value.wait == 53
    await allowance.take("ann", questions=2)


async def test_what_was_asked_is_counted_in_words(clock: Clock):
    for questions, told in ((1, "asked 1 question within"), (2, "asked 2 questions within")):
        allowance = Allowance(Limits(questions_per_minute=questions), clock=clock)
        await allowance.take("ann", questions=questions)
        with pytest.raises(LimitReachedError, match=told):
            await allowance.take("ann")


async def test_answers_count_where_a_question_begins_one(allowance: Allowance):
    await allowance.take("ann", running=9)
    await allowance.take("ann", running=1, conversation="talk")
    with pytest.raises(LimitReachedError, match="2 answers are"):
        await allowance.take("ann", running=2, conversation="talk")


async def test_what_was_refused_is_not_counted(allowance: Allowance, clock: Clock):
    for _ in range(3):
        await allowance.take("ann")
    for _ in range(10):
        clock.now += 1
        with pytest.raises(LimitReachedError):
            await allowance.take("ann")
    clock.now += 50
    await allowance.take("ann")


async def test_one_person_does_not_use_up_what_is_another_s(allowance: Allowance):
    for _ in range(3):
        await allowance.take("ann")
    await allowance.take("bob")


async def test_a_question_that_is_too_long_says_how_long_it_is(allowance: Allowance):
    with pytest.raises(LimitReachedError, match="101 characters; 100 are allowed"):
        await allowance.take("ann", characters=101)


@pytest.fixture
async def connection(redis: RedisServer) -> AsyncIterator[Redis]:
    opened = redis_at(redis.url)
    await opened.flushdb()
    yield opened
    await opened.aclose()


@pytest.fixture
def shared(redis: RedisServer, connection: Redis) -> list[Allowance]:
    """What two processes count."""
    return [Allowance(LIMITS, connection), Allowance(LIMITS, redis_at(redis.url))]


async def test_questions_to_several_processes_are_counted_together(shared: list[Allowance]):
    one, other = shared
    began = time.monotonic()
    await one.take("ann", questions=2)
    await other.take("ann")
    for each in shared:
        with pytest.raises(LimitReachedError, match="asked 3 questions within a minute") as refused:
            await each.take("ann")
        found = re.search(r"Try again in (\d+) seconds\.", str(refused.value))
        assert found
        assert 59 - (time.monotonic() - began) <= int(found[1]) <= 60
    await other.take("bob", questions=3)


async def test_of_many_questions_at_the_same_moment_so_many_are_taken_as_are_allowed(shared: list[Allowance]):
    taken = await asyncio.gather(*(each.take("ann") for each in shared * 20), return_exceptions=True)
    assert taken.count(None) == 3
    assert {type(one) for one in taken if one is not None} == {LimitReachedError}


async def test_a_minute_later_every_process_has_room_again(shared: list[Allowance], connection: Redis):
    one, other = shared
    await one.take("ann", questions=3)
    a_minute = 60_000_000
    for question, asked_at in await connection.zrange("chat-ui:asked:ann", 0, -1, withscores=True):
        await connection.zadd("chat-ui:asked:ann", {question: asked_at - a_minute})
    await other.take("ann", questions=3)


async def test_answers_that_are_asked_of_several_processes_are_counted_together(shared: list[Allowance]):
    one, other = shared
    await one.take("ann", conversation="first")
    await other.take("ann", conversation="second")
    with pytest.raises(LimitReachedError, match="2 answers are still being made"):
        await other.take("ann", conversation="third")
    await other.take("bob", conversation="fourth")


async def test_an_answer_that_was_asked_for_and_never_begun_does_not_count_for_long(shared: list[Allowance]):
    one, other = shared
    await other.take("bob", conversation="first")
    await one.take("bob", conversation="second")
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                await other.take("bob", conversation="third")
            except LimitReachedError:
                await asyncio.sleep(0.05)
            else:
                break


async def test_while_redis_is_away_each_process_counts_on_its_own():
    with running_redis() as redis:
        one, other = (Allowance(LIMITS, redis_at(redis.url)) for _ in range(2))
        await one.take("ann", questions=3)
        redis.stop()
        for each in (one, other):
            await each.take("ann", questions=3)
            with pytest.raises(LimitReachedError, match="asked 3 questions"):
                await each.take("ann")
            with pytest.raises(LimitReachedError, match="2 answers are still being made"):
                await each.take("bob", conversation="talk", running=2)
        redis.start()
        with pytest.raises(LimitReachedError, match="asked 2 questions"):
            await one.take("cid", questions=2)
            await other.take("cid", questions=2)


async def begin(admission: Admission) -> None:
    async with admission.turn():
        pass


def test_a_question_is_refused_where_answers_stay_late_and_none_where_they_are_in_time_again(
    caplog: pytest.LogCaptureFixture,
):
    lateness, running = [2 * LATE], [FEW]

    async def work() -> None:
        admission = Admission(lambda: lateness[0], lambda: running[0])
        asked = [begin(admission) for _ in range(20)]
        refused = await asyncio.gather(*asked, return_exceptions=True)
        assert {type(one) for one in refused} == {LimitReachedError}
        assert {str(one) for one in refused} == {"Too many people are asking at once. Try again in 10 seconds."}
        running[0] = FEW - 1
        await begin(admission)
        lateness[0], running[0] = LATE, FEW
        await asyncio.gather(*(begin(admission) for _ in range(20)))

    run_late(work)
    assert [one.getMessage() for one in caplog.records] == ["questions are refused: too many people are asking at once"]


def test_a_question_waits_until_answers_are_in_time():
    lateness = iter([3.0] * 20 + [0.0])

    async def work() -> None:
        await begin(Admission(lambda: next(lateness), lambda: FEW))
        assert next(lateness, None) is None

    run_late(work)


async def test_a_few_questions_begin_at_a_time():
    admission = Admission(lambda: 0.0, lambda: FEW)
    async with AsyncExitStack() as begun:
        for _ in range(16):
            await begun.enter_async_context(admission.turn())
        last = asyncio.create_task(begin(admission))
        for _ in range(5):
            await asyncio.sleep(0)
        assert not last.done()
    await last


def test_a_person_who_leaves_while_they_wait_holds_up_nobody():
    lateness = [9.0]

    async def work() -> None:
        admission = Admission(lambda: lateness[0], lambda: FEW)
        waiting = [asyncio.create_task(begin(admission)) for _ in range(10)]
        for _ in range(5):
            await asyncio.sleep(0)
        for one in waiting:
            one.cancel()
        await asyncio.wait(waiting)
        lateness[0] = 0.0
        await begin(admission)

    run_late(work)
