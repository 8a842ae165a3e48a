"""How much one person may ask for, so that one cannot take the server from the others."""

from __future__ import annotations

import time
from collections import OrderedDict, deque
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from typing import Final

_MINUTE: Final = 60.0
_PEOPLE_KEPT: Final = 10_000


class LimitReachedError(Exception):
    """A person asked for more than their share; the message is for them."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What one person may ask for: questions within a minute, answers at once, characters of one question."""

    questions_per_minute: int = 60
    answers_at_once: int = 4
    question_characters: int = 400_000


class Allowance:
    """Keeps count of what each person has asked for within the last minute, in this process."""

    def __init__(self, limits: Limits, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.limits = limits
        self._clock = clock
        self._asked: OrderedDict[str, deque[float]] = OrderedDict()

    def take(self, person: str, *, characters: int = 0, running: int = 0) -> None:
        """Count one question of `person`, who has `running` answers in the making.

        Raises:
            LimitReachedError: it is one too many or too long; it is not counted then.
        """
        limits = self.limits
        if characters > limits.question_characters:
            raise LimitReachedError(
                f"This question has {characters:,} characters; {limits.question_characters:,} are allowed. "
                "Shorten it, then send it again."
            )
        if running >= limits.answers_at_once:
            answers = "an answer is" if running == 1 else f"{running} answers are"
            raise LimitReachedError(
                f"{answers[0].upper()}{answers[1:]} still being made for you, and no more are made at the same time. "
                "Wait for one to end or stop it, then send the question again."
            )
        now = self._clock()
        asked = self._asked.pop(person, None) or deque()
        self._asked[person] = asked
        while asked and asked[0] <= now - _MINUTE:
            asked.popleft()
        if len(asked) >= limits.questions_per_minute:
            seconds = ceil(asked[0] + _MINUTE - now)
            raise LimitReachedError(
                f"You have asked {len(asked)} question{'' if len(asked) == 1 else 's'} within a minute, and no more "
                f"are allowed. Try again in {seconds} second{'' if seconds == 1 else 's'}."
            )
        asked.append(now)
        if len(self._asked) > _PEOPLE_KEPT:
            self._asked.popitem(last=False)
