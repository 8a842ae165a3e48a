"""What a soak takes for wrong: words that were lost, and memory that grows."""

from __future__ import annotations

import pytest

from tests.backends.paced import Sent
from tests.benchmarks.people import WrongAnswerError
from tests.benchmarks.soak import JUDGED_FROM, ON_THE_WAY, compare, memory_of

WORDS = [f"word{number}" for number in range(100)]
TEXT = " ".join(WORDS)
PACE = 0.1


def sent(*, gone: bool = False) -> Sent:
    """A word each `PACE` seconds, from 0 on."""
    pieces = [(PACE * number, len(" ".join(WORDS[: number + 1]))) for number in range(len(WORDS))]
    return Sent(text=TEXT, ended=PACE * len(WORDS), gone=PACE * len(WORDS) if gone else 0.0, pieces=pieces)


def test_an_answer_that_is_whole_is_right():
    compare(WORDS, sent(), None)


@pytest.mark.parametrize("kept", [WORDS[:-1], WORDS[1:], [*WORDS[:50], *WORDS[49:]], []])
def test_an_answer_that_lacks_or_doubles_words_is_wrong(kept: list[str]):
    with pytest.raises(WrongAnswerError):
        compare(kept, sent(), None)


def test_a_stopped_answer_is_right_with_what_was_sent_up_to_the_stop():
    stopped_at = 5.0
    for kept in (WORDS[:50], WORDS[:55], [*WORDS[:50], "wor"], WORDS[: 51 - round(ON_THE_WAY / PACE)]):
        compare(kept, sent(gone=True), stopped_at)


@pytest.mark.parametrize("kept", [WORDS[:30], WORDS[:1], [], [*WORDS[:48], "other", "words"]])
def test_a_stopped_answer_is_wrong_with_less_than_was_sent_up_to_the_stop(kept: list[str]):
    with pytest.raises(WrongAnswerError):
        compare(kept, sent(gone=True), 5.0)


def test_a_stopped_answer_is_right_without_what_was_sent_in_the_last_moment():
    compare(WORDS[:-2], sent(), PACE * len(WORDS))


def test_an_answer_that_is_stopped_while_its_backend_is_silent_has_to_be_whole():
    compare(WORDS, sent(gone=True), PACE * len(WORDS) + ON_THE_WAY)
    with pytest.raises(WrongAnswerError):
        compare(WORDS[:-1], sent(gone=True), PACE * len(WORDS) + ON_THE_WAY)


@pytest.mark.parametrize(("per_hour", "grew"), [(0.0, False), (30.0, True)])
def test_memory_is_told_and_judged_by_the_hour(per_hour: float, grew: bool):
    seen = [(float(at), 200 + per_hour * at / 3600) for at in range(0, round(JUDGED_FROM) + 10, 5)]
    memory = memory_of(seen)
    assert memory is not None
    assert memory.per_hour == pytest.approx(per_hour)
    assert memory.grew is grew


def test_memory_is_not_judged_by_a_minute():
    memory = memory_of([(float(at), 200.0 + at) for at in range(60)])
    assert memory is not None
    assert not memory.grew


def test_nothing_is_said_of_memory_while_caches_are_not_full():
    assert memory_of([]) is None
