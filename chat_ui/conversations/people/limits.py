"""How much one person may ask for, so that one cannot take the server from the others."""

from __future__ import annotations

import sys
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from math import ceil
from typing import Final

from chat_ui.protocol.recently_used import RecentlyUsed
from chat_ui.protocol.translatable import msg, plural_msg
from chat_ui.protocol.transport.http_errors import try_again_in

MINUTE: Final = 60.0
KEPT_BYTES: Final = 32 * 1024 * 1024
_MOMENT: Final = 32


class LimitReachedError(Exception):
    """A person asked for more than their share; the message is for them. `wait` is in how many seconds there is room
    again, as far as that is known.
    """

    def __init__(self, message: str, wait: float = 1.0) -> None:
        super().__init__(message)
        self.wait = ceil(wait)


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of one person: questions within a minute, answers at once, characters of one question."""

    questions_per_minute: int = 60
    answers_at_once: int = 4
    question_characters: int = 400_000


class LastMinute:
    """Questions of each person within the last minute, in this process.

    `kept_bytes` is for the counts; those who did it longest ago begin anew when there are more.
    """

    def __init__(self, clock: Callable[[], float], kept_bytes: int = KEPT_BYTES) -> None:
        self._clock = clock
        self._moments: RecentlyUsed[str, deque[float]] = RecentlyUsed(kept_bytes)

    def __len__(self) -> int:
        return len(self._moments)

    def count(self, person: str, times: int, most: int) -> tuple[int, float]:
        """Count `times` more unless that makes more than `most`; how often it was before, and the seconds until there
        is room, 0 where they were counted.
        """
        now = self._clock()
        moments = self._moments.get(person) or deque()
        while moments and moments[0] <= now - MINUTE:
            moments.popleft()
        before = len(moments)
        surplus = before + times - most
        if surplus > 0:
            freed = moments[surplus - 1] if surplus <= before else now
            return before, freed + MINUTE - now
        moments.extend([now] * times)
        self._moments.put(person, moments, sys.getsizeof(moments) + _MOMENT * len(moments))
        return before, 0.0


class Allowance:
    """Keeps count of what each person has asked for within the last minute, in this process."""

    def __init__(
        self, limits: Limits, *, clock: Callable[[], float] = time.monotonic, kept_bytes: int = KEPT_BYTES
    ) -> None:
        self.limits = limits
        self._asked = LastMinute(clock, kept_bytes)

    async def take(
        self, person: str, *, questions: int = 1, characters: int = 0, conversation: str = "", running: int = 0
    ) -> None:
        """Count `questions` of `person`, who has `running` answers in the making here.

        A question that goes on a conversation names it by its id.

        Raises:
            LimitReachedError: they are too many or too long; none of them is counted then.
        """
        limits = self.limits
        if characters > limits.question_characters:
            raise LimitReachedError(
                msg(
                    "This question has {characters} characters; {most} are allowed. Shorten it, then send it again.",
                    characters=characters,
                    most=limits.question_characters,
                )
            )
        await self._count(person, questions, conversation, running)

    async def _count(self, person: str, questions: int, conversation: str, running: int) -> None:
        if conversation and running >= self.limits.answers_at_once:
            raise too_many_answers(running)
        asked, wait = self._asked.count(person, questions, self.limits.questions_per_minute)
        if wait:
            raise too_many_questions(asked, wait)


def too_many_answers(running: int) -> LimitReachedError:
    """So many answers are being made for the person already."""
    return LimitReachedError(
        plural_msg(
            "An answer is still being made for you, and no more are made at the same time. "
            "Wait for one to end or stop it, then send the question again.",
            "{count} answers are still being made for you, and no more are made at the same time. "
            "Wait for one to end or stop it, then send the question again.",
            running,
        )
    )


def too_many_questions(asked: int, wait: float) -> LimitReachedError:
    """So many questions were asked within a minute already; there is room again after `wait` seconds."""
    return LimitReachedError(
        msg(
            "{problem} {advice}",
            problem=plural_msg(
                "You have asked {count} question within a minute, and no more are allowed.",
                "You have asked {count} questions within a minute, and no more are allowed.",
                asked,
            ),
            advice=try_again_in(wait),
        ),
        wait,
    )
