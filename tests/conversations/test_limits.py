"""What one person may ask for."""

from __future__ import annotations

import pytest

from chat_ui.conversations.limits import Allowance, LimitReachedError, Limits


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
    return Allowance(Limits(questions_per_minute=3, answers_at_once=2, question_characters=100), clock=clock)


def test_questions_within_the_limits_are_taken(allowance: Allowance):
    for _ in range(3):
        allowance.take("ann", characters=100, running=1)


def test_one_question_too_many_says_when_to_try_again(allowance: Allowance, clock: Clock):
    for _ in range(3):
        allowance.take("ann")
        clock.now += 5
    with pytest.raises(LimitReachedError, match=r"asked 3 questions within a minute.*Try again in 45 seconds\."):
        allowance.take("ann")


def test_a_minute_later_there_is_room_again(allowance: Allowance, clock: Clock):
    for _ in range(3):
        allowance.take("ann")
    clock.now += 60
    allowance.take("ann")


def test_what_was_refused_is_not_counted(allowance: Allowance, clock: Clock):
    for _ in range(3):
        allowance.take("ann")
    for _ in range(10):
        clock.now += 1
        with pytest.raises(LimitReachedError):
            allowance.take("ann")
    clock.now += 50
    allowance.take("ann")


def test_one_person_does_not_use_up_what_is_another_s(allowance: Allowance):
    for _ in range(3):
        allowance.take("ann")
    allowance.take("bob")


def test_an_answer_too_many_at_once_is_refused(allowance: Allowance):
    with pytest.raises(LimitReachedError, match="2 answers are still being made"):
        allowance.take("ann", running=2)


def test_a_question_that_is_too_long_says_how_long_it_is(allowance: Allowance):
    with pytest.raises(LimitReachedError, match="101 characters; 100 are allowed"):
        allowance.take("ann", characters=101)
